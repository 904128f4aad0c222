module github.com/sickbay-dev/sickbay

go 1.26.0
