"""Measurements that are run by hand, each against a bound taken in the same run."""
