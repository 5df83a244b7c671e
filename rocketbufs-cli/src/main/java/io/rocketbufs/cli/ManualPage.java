package io.rocketbufs.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi.Text;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The manual page of a program with all its commands, in roff with the man macros; man(7) describes them. The texts are
 * the same as in {@code --help}.
 */
final class ManualPage {
    /** Line width for picocli. It is greater than the length of any text, because roff breaks the lines. */
    private static final int WIDTH = 20_000;

    private static final Pattern ESCAPED = Pattern.compile("[-\\\\'`^~]");
    private static final String SEE =
            "The program's documentation explains the exit codes of each command, and the" + " configuration keys.";

    private final StringBuilder page = new StringBuilder();

    private ManualPage() {}

    /**
     * Returns the page.
     *
     * @param program the program with all its commands
     * @param version version of the program, shown at the foot of the page
     */
    static String of(CommandLine program, String version) {
        ManualPage manual = new ManualPage();
        manual.add(program, version);
        return manual.page.toString();
    }

    private void add(CommandLine program, String version) {
        CommandSpec spec = program.getCommandSpec();
        String name = spec.name();
        // The page has no date, so that every build of a version creates the same page.
        line(".TH " + name.toUpperCase(Locale.ROOT) + " 1 \"\" \"" + escaped(version) + "\" \"User Commands\"");
        // Hyphenation and justification are disabled, so that options and keys stay intact.
        line(".nh");
        line(".ad l");
        line(".SH NAME");
        text(name + " - " + description(program).get(0).replaceAll("[.]$", ""));
        line(".SH SYNOPSIS");
        synopsis(program);
        line(".SH DESCRIPTION");
        description(program).forEach(this::paragraph);
        footer(program);
        line(".SH OPTIONS");
        arguments(program);
        line(".SH COMMANDS");
        commands(program);
        line(".SH EXIT STATUS");
        ExitCode.MEANINGS.forEach((code, meaning) -> {
            tag(code.toString());
            text(meaning);
        });
        line(".SH SEE ALSO");
        text(SEE);
    }

    /** Adds the subcommands of a program or command, each with its own subcommands. */
    private void commands(CommandLine parent) {
        for (CommandLine command : parent.getSubcommands().values()) {
            CommandSpec spec = command.getCommandSpec();
            if (!spec.usageMessage().hidden()) {
                line(".SS " + escaped(spec.qualifiedName()));
                synopsis(command);
                description(command).forEach(this::paragraph);
                arguments(command);
                footer(command);
                commands(command);
            }
        }
    }

    private void synopsis(CommandLine command) {
        line(bold(wide(command).synopsis(0).strip()));
    }

    private static List<String> description(CommandLine command) {
        return wide(command).description().lines().map(String::strip).toList();
    }

    /** Adds a command's options and parameters. */
    private void arguments(CommandLine command) {
        Help help = wide(command);
        Help.IParamLabelRenderer labels = help.createDefaultParamLabelRenderer();
        for (PositionalParamSpec parameter : command.getCommandSpec().positionalParameters()) {
            argument(parameter, help.createDefaultParameterRenderer().render(parameter, labels, help.colorScheme()));
        }
        for (OptionSpec option : command.getCommandSpec().options()) {
            argument(option, help.createDefaultOptionRenderer().render(option, labels, help.colorScheme()));
        }
    }

    /** Adds an argument. The columns of its first row are: required, short name, separator, long name, description. */
    private void argument(ArgSpec argument, Text[][] rows) {
        if (argument.hidden()) {
            return;
        }
        tag(Stream.of(rows[0][1], rows[0][2], rows[0][3])
                .map(Text::toString)
                .map(column -> column.equals(",") ? ", " : column)
                .collect(Collectors.joining())
                .strip());
        for (Text[] row : rows) {
            text(row[4].toString().strip());
        }
    }

    /** Adds the text at the end of a command's help: paragraphs and indented examples. */
    private void footer(CommandLine command) {
        List<String> examples = new ArrayList<>();
        for (String each : (Iterable<String>) wide(command).footer().lines()::iterator) {
            if (each.startsWith(" ")) {
                examples.add(each.strip());
            } else {
                examples(examples);
                paragraph(each.strip());
            }
        }
        examples(examples);
    }

    private void examples(List<String> examples) {
        if (!examples.isEmpty()) {
            line(".RS 4");
            line(".nf");
            examples.forEach(this::text);
            line(".fi");
            line(".RE");
            examples.clear();
        }
    }

    private void paragraph(String text) {
        if (!text.isEmpty()) {
            line(".PP");
            text(text);
        }
    }

    /** Adds a term, to be followed by its explanation. */
    private void tag(String term) {
        line(".TP");
        line(bold(term));
    }

    private static String bold(String text) {
        return "\\fB" + escaped(text) + "\\fR";
    }

    private static Help wide(CommandLine command) {
        command.setUsageHelpWidth(WIDTH);
        return command.getHelp();
    }

    /** Adds a line of text. */
    private void text(String text) {
        String escaped = escaped(text);
        // roff would interpret a line that starts with a dot as a request.
        line(escaped.startsWith(".") ? "\\&" + escaped : escaped);
    }

    private void line(String line) {
        page.append(line).append('\n');
    }

    /** Escapes the characters that roff would change, such as a minus sign, which would become a hyphen. */
    private static String escaped(String text) {
        return ESCAPED.matcher(text)
                .replaceAll(match -> Matcher.quoteReplacement(
                        switch (match.group()) {
                            case "-" -> "\\-";
                            case "\\" -> "\\e";
                            case "'" -> "\\(aq";
                            case "`" -> "\\(ga";
                            case "^" -> "\\(ha";
                            default -> "\\(ti";
                        }));
    }
}
