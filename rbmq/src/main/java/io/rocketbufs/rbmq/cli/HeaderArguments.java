package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.rbmq.client.Headers;
import java.util.List;

/** A parser of headers given as arguments of the form {@code KEY=VALUE}. A value may contain further equals signs. */
final class HeaderArguments {
    private HeaderArguments() {}

    /**
     * Returns the headers, in the order of the arguments. A key may occur more than once.
     *
     * @throws CommandFailure if an argument has no equals sign, a key is not allowed, or there are too many headers or
     *     they are too long
     */
    static Headers parse(List<String> arguments) {
        Headers headers = new Headers();
        for (String argument : arguments) {
            int separator = argument.indexOf('=');
            if (separator < 0) {
                throw CommandFailure.usage("-H " + argument + ": is not KEY=VALUE");
            }
            try {
                headers.add(argument.substring(0, separator), argument.substring(separator + 1));
            } catch (IllegalArgumentException e) {
                throw CommandFailure.usage(
                        "-H " + argument.substring(0, Math.min(40, argument.length())) + ": " + e.getMessage());
            }
        }
        return headers;
    }
}
