package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.json.Json;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * The {@code rbmq reload} command. Unlike SIGHUP, it works from another machine or container, waits for the result and
 * reports it.
 */
@Command(
        name = "reload",
        description = "Makes a broker read its configuration again, and prints what has changed. If the configuration"
                + " has mistakes, nothing changes, and all of them are reported.",
        footer = {"", "Examples:", "  rbmq reload", "  rbmq reload --admin 127.0.0.1:7611 --token-file ops.token"})
final class ReloadCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    AdminOptions admin = new AdminOptions();

    ReloadCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() {
        Config answer = Json.parse(admin.client().reload());
        answer.getStringList("changes").forEach(streams::tell);
        answer.getStringList("notApplied").forEach(streams::say);
        if (answer.getStringList("changes").isEmpty()) {
            streams.say("no setting in force has changed");
        }
        return ExitCode.DONE;
    }
}
