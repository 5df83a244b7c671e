package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.cli.TerminalText;

/** A JSON object in a response of the admin interface. A value that the broker omits is reported as 0 or empty. */
final class AdminRow {
    private final Config object;

    AdminRow(Config object) {
        this.object = object;
    }

    /** Returns the number with this name. */
    long number(String name) {
        return object.hasPath(name) ? object.getLong(name) : 0;
    }

    /** Returns the string with this name, escaped so that it is safe to print. */
    String text(String name) {
        return object.hasPath(name) ? TerminalText.escape(object.getString(name)) : "";
    }

    /** Returns a number of bytes in human-readable form. */
    String bytes(String name) {
        return Amounts.bytes(number(name));
    }

    /** Returns a rate in human-readable form; a dash if the broker does not know the rate. */
    String rate(String name) {
        return object.hasPath(name) ? bytes(name) : "-";
    }

    /** Returns true if the object has a value with this name. */
    boolean has(String name) {
        return object.hasPath(name);
    }
}
