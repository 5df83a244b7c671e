package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.BrokerSettings;
import io.rocketbufs.rbmq.RbmqSettings;
import io.rocketbufs.rbmq.broker.Broker;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code rbmq broker}: a broker in the foreground, until a signal ends it. */
@Command(
        name = "broker",
        description = "Runs a broker in the foreground. Prints one line when it is ready: ready rbmq=PORT admin=PORT")
final class BrokerCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    ConfigOptions config = new ConfigOptions();

    @Mixin
    CommonOptions common = new CommonOptions();

    @Option(names = "--check-config", description = "Checks the configuration, and does nothing else.")
    boolean checkOnly;

    @Option(
            names = "--ports-file",
            paramLabel = "FILE",
            description = "Writes the ports in use there when ready, one NAME=PORT on each line.")
    Path portsFile;

    @Option(names = "--end-with-stdin", hidden = true, description = "Ends when its standard input does.")
    boolean endWithStdin;

    BrokerCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        Config loaded = config.load();
        BrokerSettings settings = RbmqSettings.from(loaded).broker();
        try (RocketBufs rocketBufs = RocketBufs.open(loaded)) {
            if (checkOnly) {
                rocketBufs.transports();
                streams.tell("the configuration is good");
            } else {
                run(rocketBufs, settings);
            }
        }
        return ExitCode.DONE;
    }

    private void run(RocketBufs rocketBufs, BrokerSettings settings) throws InterruptedException {
        CountDownLatch stop = new CountDownLatch(1);
        Termination termination = Termination.stopsBy(stop::countDown);
        try (termination;
                Broker broker = Broker.open(rocketBufs, settings)) {
            Ports ports = Ports.of(broker, settings);
            if (portsFile != null) {
                ports.writeTo(portsFile);
            }
            streams.tell(ports.readyLine());
            if (endWithStdin) {
                countDownAtEnd(streams.in(), stop);
            }
            stop.await();
        }
    }

    private static void countDownAtEnd(InputStream in, CountDownLatch stop) {
        Thread reader = new Thread(
                () -> {
                    try {
                        in.transferTo(OutputStream.nullOutputStream());
                    } catch (IOException e) {
                        // An end like any other.
                    }
                    stop.countDown();
                },
                "rbmq-stdin");
        reader.setDaemon(true);
        reader.start();
    }
}
