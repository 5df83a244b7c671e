package io.rocketbufs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Tag("once")
final class ManualPageTest {
    @Command(
            name = "sample",
            description = {"Shows a page.", "It's `all` of C:\\."},
            footer = {"", "Examples:", "  sample go '~'", "  sample go ^"})
    static final class Sample {
        @Option(
                names = {"-n", "--number"},
                paramLabel = "N",
                defaultValue = "7",
                description = {"A number; ${DEFAULT-VALUE} by default.", ".hidden is a file."})
        int number;

        @Option(names = "--secret", hidden = true)
        boolean secret;
    }

    @Command(name = "go", description = "Goes.")
    static final class Go implements Callable<Integer> {
        @Parameters(paramLabel = "PLACE", description = "Where to go to.")
        String place;

        @Override
        public Integer call() {
            return 0;
        }
    }

    @Command(name = "unlisted", hidden = true)
    static final class Hidden {}

    private final String page = ManualPage.of(
            new CommandLine(new Sample()).addSubcommand(new Go()).addSubcommand(new Hidden()), "sample 1.0-x");

    @Test
    void shouldHaveTheSectionsOfAManualPage() {
        assertThat(page.lines().filter(line -> line.matches("[.](TH|SH|SS) .*")))
                .containsExactly(
                        ".TH SAMPLE 1 \"\" \"sample 1.0\\-x\" \"User Commands\"",
                        ".SH NAME",
                        ".SH SYNOPSIS",
                        ".SH DESCRIPTION",
                        ".SH OPTIONS",
                        ".SH COMMANDS",
                        ".SS sample go",
                        ".SH EXIT STATUS",
                        ".SH SEE ALSO");
        assertThat(page).contains("\n.SH NAME\nsample \\- Shows a page\n");
    }

    @Test
    void shouldHaveTheOptionsAndParametersOfEveryCommandExceptHiddenOnes() {
        assertThat(page)
                .contains("\n.TP\n\\fB\\-n, \\-\\-number=N\\fR\nA number; 7 by default.\n\\&.hidden is a file.\n")
                .contains("\n.SS sample go\n\\fBsample go PLACE\\fR\n.PP\nGoes.\n.TP\n\\fBPLACE\\fR\nWhere to go to.\n")
                .doesNotContain("secret")
                .doesNotContain("unlisted");
    }

    @Test
    void shouldKeepTheCharactersThatRoffWouldChange() {
        assertThat(page)
                .contains("\n.PP\nIt\\(aqs \\(gaall\\(ga of C:\\e.\n")
                .contains("\n.RS 4\n.nf\nsample go \\(aq\\(ti\\(aq\nsample go \\(ha\n.fi\n.RE\n");
    }

    @Test
    void shouldHaveTheExitCodes() {
        assertThat(page).contains("\n.TP\n\\fB143\\fR\nSIGTERM has ended the command.\n");
    }
}
