"""The apply path: operation sets, what the audit log keeps of them, and taking them back."""
