package io.rocketbufs.examples;

import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;

/** A parser of a program's arguments, each of which has a default value. */
final class Arguments {
    private Arguments() {}

    /** Returns an argument, or the default if it is missing. */
    static String text(String[] arguments, int index, String byDefault) {
        return index < arguments.length ? arguments[index] : byDefault;
    }

    /**
     * Returns the address in an argument of the form HOST:PORT, or the default if the argument is missing.
     *
     * @throws Malformed if the argument is not HOST:PORT
     */
    static InetSocketAddress address(String[] arguments, int index, InetSocketAddress byDefault) {
        if (index >= arguments.length) {
            return byDefault;
        }
        String text = arguments[index];
        try {
            return HostPort.parse(text).resolve();
        } catch (IllegalArgumentException e) {
            throw new Malformed(index, text, "HOST:PORT");
        }
    }

    /**
     * Returns the number in an argument, or the default if the argument is missing.
     *
     * @throws Malformed if the argument is not a whole number from 1 to 999,999,999
     */
    static int count(String[] arguments, int index, int byDefault) {
        if (index >= arguments.length) {
            return byDefault;
        }
        if (!arguments[index].matches("[1-9]\\d{0,8}")) {
            throw new Malformed(index, arguments[index], "a number from 1 to 999999999");
        }
        return Integer.parseInt(arguments[index]);
    }

    /** Thrown when an argument is malformed. */
    static final class Malformed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private Malformed(int index, String argument, String expected) {
            super("argument " + (index + 1) + " \"" + argument + "\" is not " + expected);
        }
    }
}
