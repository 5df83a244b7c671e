package io.rocketbufs.reference;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A module's reference.conf, formatted as sections of a page, one for each key. Each line of the file is a comment
 * about a later line, the start or end of an object, or a key with its value.
 */
final class ReferenceConf {
    private static final Pattern BEGIN = Pattern.compile("([\\w.-]+) \\{");
    private static final Pattern VALUE = Pattern.compile("([\\w.-]+) = (.+)");
    private static final Pattern PAGE = Pattern.compile("docs/([a-z-]+\\.md)");
    private static final int LINE_LENGTH = 120;

    private final List<String> keys = new ArrayList<>();
    private final StringBuilder sections = new StringBuilder();
    private final Deque<String> path = new ArrayDeque<>();
    private final List<String> comment = new ArrayList<>();

    private ReferenceConf() {}

    static ReferenceConf read(Path file) throws IOException {
        ReferenceConf conf = new ReferenceConf();
        for (String line : Files.readAllLines(file)) {
            conf.add(line.strip());
        }
        return conf;
    }

    /** Returns the full names of the keys. */
    List<String> keys() {
        return keys;
    }

    /** Returns the page's text. */
    String sections() {
        return sections.toString();
    }

    private void add(String line) {
        Matcher begin = BEGIN.matcher(line);
        Matcher value = VALUE.matcher(line);
        if (line.startsWith("#")) {
            comment.add(line.substring(1).strip());
        } else if (begin.matches()) {
            path.addLast(begin.group(1));
            if (path.size() > 1 && !comment.isEmpty()) {
                heading("");
            }
            explanation();
        } else if (value.matches()) {
            keys.add(name(value.group(1)));
            heading(value.group(1));
            sections.append("Default: `" + value.group(2) + "`\n\n");
            explanation();
        } else if (line.equals("}")) {
            path.removeLast();
        } else if (!line.isEmpty()) {
            throw new IllegalArgumentException(
                    "line=" + line + " is neither a comment, nor part of an object, nor a key with a value");
        }
    }

    private String name(String key) {
        return String.join(".", path) + (key.isEmpty() ? "" : "." + key);
    }

    private void heading(String key) {
        sections.append("### " + name(key) + "\n\n");
    }

    /** Adds the comment, and converts the names of pages in the comment to links. */
    private void explanation() {
        String text = PAGE.matcher(String.join(" ", comment)).replaceAll("[$1](../$1)");
        int column = 0;
        for (String word : text.split(" ")) {
            boolean fits = column + 1 + word.length() <= LINE_LENGTH;
            sections.append(column == 0 ? "" : fits ? " " : "\n").append(word);
            column = (fits && column > 0 ? column + 1 : 0) + word.length();
        }
        sections.append(text.isEmpty() ? "" : "\n\n");
        comment.clear();
    }
}
