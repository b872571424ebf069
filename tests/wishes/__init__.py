"""Tests of wishes in plain words."""
