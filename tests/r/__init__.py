"""Estimates of effects that R's package MRTAnalysis printed, and the data and the script that made them."""
