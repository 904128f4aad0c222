module github.com/sickbay-dev/sickbay/tools/figures

go 1.26.0
