"""`python -m tests.benchmarks.killloop --kills N [--seed S] [--json]`: the real command, killed at
random moments while people write to it; counted is what they see and what it remembers in the end.

The Bot API, the model and the people are in this process, the bot is another one (`lives`). Every
message and every fact has a name of its own (`words`), so that a reply tells which messages it
answers (`mind`), and nothing has to be guessed (`verdict`)."""
