// The set-up of a study: saves what is typed, and keeps the preview up to date.
