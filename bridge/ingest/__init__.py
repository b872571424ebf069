"""Syncs of accounts, imports of files, pushes, webhooks and check-ins bring data in."""
