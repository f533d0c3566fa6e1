"""What `mordecai doctor` looks at of Telegram."""
