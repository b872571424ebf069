"""Load tests with many made-up users, whose vendors run in a process of their own."""
