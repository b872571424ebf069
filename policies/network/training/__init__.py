"""How the network is trained; needs PyTorch (``pip install 'rhythm-bridge[train]'``). ``bridge train`` runs it."""
