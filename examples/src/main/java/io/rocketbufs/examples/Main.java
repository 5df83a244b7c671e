package io.rocketbufs.examples;

import com.typesafe.config.ConfigException;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.settings.SettingsException;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * The launcher of the example programs. It runs the program named in its first argument. For an error that the user can
 * correct, it prints a single line.
 */
public final class Main {
    private static final int FAILED = 1;
    private static final int USAGE = 2;

    private static final List<Program> PROGRAMS = List.of(
            new Program("ListingThreeBroker", "[HOST:PORT]", ListingThreeBroker::main),
            new Program("ListingThreePublisher", "[TOPIC [HOST:PORT]]", ListingThreePublisher::main),
            new Program("ListingThreeSubscriber", "[TOPIC [HOST:PORT]]", ListingThreeSubscriber::main),
            new Program("SplicingRelay", "[EAST [WEST [HOST:PORT]]]", SplicingRelay::main),
            new Program("TickerPublisher", "[HOST:PORT]", TickerPublisher::main),
            new Program("TickerSubscriber", "[TICKER [HOST:PORT]]", TickerSubscriber::main),
            new Program("HelloPublisher", "", HelloPublisher::main),
            new Program("HelloSubscriber", "", HelloSubscriber::main),
            new Program("FeedPublisher", "[COUNT [HOST:PORT]]", FeedPublisher::main));

    private Main() {}

    /**
     * Runs a program and exits the process with code 0 on success, 1 if the program failed, or 2 if an argument is
     * invalid.
     */
    public static void main(String[] arguments) {
        System.exit(run(arguments));
    }

    private static int run(String[] arguments) {
        String name = Arguments.text(arguments, 0, "");
        for (Program program : PROGRAMS) {
            if (program.name.equals(name)) {
                return run(program, Arrays.copyOfRange(arguments, 1, arguments.length));
            }
        }
        usage(System.err);
        return USAGE;
    }

    private static int run(Program program, String[] arguments) {
        if (arguments.length > 0 && program.arguments.isEmpty()) {
            System.err.println(program.name + ": takes no arguments; place -DKEY=VALUE before its name");
            return USAGE;
        }
        try {
            program.body.run(arguments);
            return 0;
        } catch (Exception e) {
            Throwable cause = causeOf(e);
            if (cause instanceof Arguments.Malformed) {
                System.err.println(program.name + ": " + cause.getMessage());
                System.err.println("usage: bin/example " + program.usage());
                return USAGE;
            }
            if (isForTheUser(cause)) {
                System.err.println(program.name + ": " + cause.getMessage());
            } else {
                cause.printStackTrace();
            }
            return FAILED;
        }
    }

    /** Returns the cause of a future's failure, or any other failure unchanged. */
    static Throwable causeOf(Exception failure) {
        return failure instanceof CompletionException || failure instanceof ExecutionException
                ? failure.getCause()
                : failure;
    }

    private static boolean isForTheUser(Throwable failure) {
        return failure instanceof TransportException
                || failure instanceof IllegalArgumentException
                || failure instanceof SettingsException
                || failure instanceof ConfigException;
    }

    private static void usage(PrintStream err) {
        err.println("usage: bin/example [-DKEY=VALUE]... NAME [ARGUMENT]...");
        PROGRAMS.forEach(program -> err.println("  " + program.usage()));
    }

    /** The body of a program, which prints its results and throws its failures. */
    @FunctionalInterface
    private interface Body {
        void run(String[] arguments) throws Exception;
    }

    private record Program(String name, String arguments, Body body) {
        String usage() {
            return arguments.isEmpty() ? name : name + " " + arguments;
        }
    }
}
