"""Bring data in: by syncs of accounts, imports of files, pushes from phones, webhooks and check-ins."""
