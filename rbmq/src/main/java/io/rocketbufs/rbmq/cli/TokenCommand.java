package io.rocketbufs.rbmq.cli;

import com.typesafe.config.ConfigUtil;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.rbmq.broker.TokenHash;
import io.rocketbufs.rbmq.broker.UserSettings;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The {@code rbmq token} command, which creates the token of a user. */
@Command(
        name = "token",
        description = "Creates a random token of 256 bits for a user, and prints it to standard output. Prints to"
                + " standard error the user's line for rbmq.users in the broker's configuration, which contains only"
                + " the token's hash. Add the user's topics to the line.",
        footer = {"", "Examples:", "  rbmq token feed", "  (umask 077; rbmq token feed > feed.token)"})
final class TokenCommand implements Callable<Integer> {
    private static final int LENGTH = 32;

    private final Streams streams;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Parameters(paramLabel = "NAME", description = "Name of the user.")
    String name;

    TokenCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() {
        if (!UserSettings.isName(name)) {
            throw CommandFailure.usage("NAME must have 1 to 64 characters, without control characters");
        }
        byte[] random = new byte[LENGTH];
        new SecureRandom().nextBytes(random);
        String token = HexFormat.of().formatHex(random);
        streams.tell(token);
        streams.err()
                .println("{ name = " + ConfigUtil.quoteString(name) + ", token-sha256 = \""
                        + TokenHash.of(token).hex() + "\", publish = [], subscribe = [] }");
        return ExitCode.DONE;
    }
}
