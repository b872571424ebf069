"""Load runs with many made-up people, whose vendors run in a process of their own."""
