"""Types and pure rules: what the service means, without any store, network or clock."""
