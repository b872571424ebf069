"""Read a person's day: who they are now, estimated once per look from what is known. Nothing here loads or stores."""
