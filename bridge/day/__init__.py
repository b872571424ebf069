"""Read a person's day from one snapshot of data. Nothing here loads or stores."""
