package io.rocketbufs.rbmq.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine;

/** The subcommands. Only the one that is called is made: {@code pub} may be started a thousand times. */
final class Commands {
    private static final Map<String, Function<Streams, Object>> ALL = new LinkedHashMap<>();

    static {
        ALL.put("demo", DemoCommand::new);
        ALL.put("broker", BrokerCommand::new);
        ALL.put("pub", PubCommand::new);
        ALL.put("sub", SubCommand::new);
        ALL.put("bench", BenchCommand::create);
        ALL.put("topics", TopicsCommand::new);
        ALL.put("stat", StatCommand::new);
        ALL.put("transports", TransportsCommand::new);
    }

    private Commands() {}

    /** Reads the arguments: all commands where none is named, for help and for mistakes. */
    static CommandLine parserFor(Object main, String[] arguments, Streams streams) {
        CommandLine parser = new CommandLine(main);
        Function<Streams, Object> named = arguments.length == 0 ? null : ALL.get(arguments[0]);
        if (named != null) {
            parser.addSubcommand(arguments[0], named.apply(streams));
        } else {
            ALL.forEach((name, maker) -> parser.addSubcommand(name, maker.apply(streams)));
        }
        return parser;
    }
}
