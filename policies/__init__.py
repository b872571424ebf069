"""Policies that choose the next action, one per module, found by module name. The package ``lab`` adds others."""
