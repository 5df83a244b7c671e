package io.rocketbufs.examples;

import java.net.InetSocketAddress;

/** A reader of a program's arguments, each of which has a default value. */
final class Arguments {
    private static final int MAX_PORT = 65_535;

    private Arguments() {}

    /** Returns an argument, or the default if it is missing. */
    static String text(String[] arguments, int index, String byDefault) {
        return index < arguments.length ? arguments[index] : byDefault;
    }

    /**
     * Returns the address that an argument of the form HOST:PORT contains, or the default if the argument is missing.
     *
     * @throws Malformed if the argument is not HOST:PORT
     */
    static InetSocketAddress address(String[] arguments, int index, InetSocketAddress byDefault) {
        if (index >= arguments.length) {
            return byDefault;
        }
        String text = arguments[index];
        int colon = text.lastIndexOf(':');
        String port = text.substring(colon + 1);
        if (colon < 1 || !port.matches("\\d{1,5}") || Integer.parseInt(port) > MAX_PORT) {
            throw new Malformed(index, text, "HOST:PORT");
        }
        return new InetSocketAddress(text.substring(0, colon), Integer.parseInt(port));
    }

    /**
     * Returns the number that an argument contains, or the default if the argument is missing.
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

    /** Thrown when an argument does not have the expected form. */
    static final class Malformed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private Malformed(int index, String argument, String expected) {
            super("argument " + (index + 1) + " \"" + argument + "\" is not " + expected);
        }
    }
}
