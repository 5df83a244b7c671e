package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.cli.TerminalText;

/** A JSON object in an answer of the admin interface. A value that the broker does not state is 0 or empty. */
final class AdminRow {
    private final Config object;

    AdminRow(Config object) {
        this.object = object;
    }

    /** Returns a number. */
    long number(String name) {
        return object.hasPath(name) ? object.getLong(name) : 0;
    }

    /** Returns a string that is safe to print. */
    String text(String name) {
        return object.hasPath(name) ? TerminalText.escape(object.getString(name)) : "";
    }

    /** Returns a number of bytes for people. */
    String bytes(String name) {
        return Amounts.bytes(number(name));
    }

    /** Returns a rate for people; a dash when the broker does not know it. */
    String rate(String name) {
        return object.hasPath(name) ? bytes(name) : "-";
    }

    /** Returns true when the object has a value with this name. */
    boolean has(String name) {
        return object.hasPath(name);
    }
}
