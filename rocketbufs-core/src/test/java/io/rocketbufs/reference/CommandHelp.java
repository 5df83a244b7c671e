package io.rocketbufs.reference;

import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The help of a program and of all its commands, formatted as sections of a page. */
public final class CommandHelp {
    private static final Pattern COMMAND = Pattern.compile("(?m)^  ([a-z0-9-]+) +\\S");

    private final UnaryOperator<String> help;
    private final StringBuilder sections = new StringBuilder();

    private CommandHelp(UnaryOperator<String> help) {
        this.help = help;
    }

    /**
     * Returns the sections.
     *
     * @param help returns the output of a command line with {@code --help}
     */
    public static String of(String program, UnaryOperator<String> help) {
        CommandHelp all = new CommandHelp(help);
        all.add("##", program);
        return all.sections.toString();
    }

    /** Adds a command, and then the commands listed at the end of its help. */
    private void add(String heading, String command) {
        String text = help.apply(command + " --help").strip();
        sections.append(heading + " " + command + "\n\n```\n" + text + "\n```\n\n");
        int list = text.indexOf("\nCommands:\n");
        Matcher commands = COMMAND.matcher(list < 0 ? "" : text.substring(list).split("\nExamples:\n")[0]);
        while (commands.find()) {
            add("###", command + " " + commands.group(1));
        }
    }
}
