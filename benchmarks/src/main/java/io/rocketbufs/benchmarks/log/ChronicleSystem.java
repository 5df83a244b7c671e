package io.rocketbufs.benchmarks.log;

import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Load;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import net.openhft.chronicle.queue.ChronicleQueue;

/** Chronicle Queue, which uses neither a broker nor a network. */
final class ChronicleSystem implements LogSystem {
    /** The JVM flags that give the library access to the JDK internals listed in its documentation. */
    private static final List<String> FLAGS = List.of(
            "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
            "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-exports=jdk.unsupported/sun.misc=ALL-UNNAMED",
            "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED",
            "--add-opens=jdk.compiler/com.sun.tools.javac=ALL-UNNAMED",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
            "--add-opens=java.base/java.io=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "-Dchronicle.analytics.disable=true",
            // Different threads connect and send.
            "-Ddisable.single.threaded.check=true");

    private static final String FACTS = "/META-INF/maven/net.openhft/chronicle-queue/pom.properties";

    @Override
    public String name() {
        return "chronicle";
    }

    @Override
    public String version() throws IOException {
        Properties facts = new Properties();
        try (InputStream content = ChronicleQueue.class.getResourceAsStream(FACTS)) {
            facts.load(content);
        }
        return "Chronicle Queue " + facts.getProperty("version");
    }

    @Override
    public String settings() {
        return "no broker and no network: producer and consumer are one thread that maps the files;"
                + " records count as acknowledged when they are in the mapped memory, and are never batched";
    }

    /**
     * Returns whether the library is measured in the cell. It has neither partitions nor a broker whose processor time
     * could be measured, and it cannot flush each record. No goal compares polls with it.
     */
    @Override
    public boolean takesPartIn(Cell cell) {
        return cell.topics() == 1
                && cell.experiment() != LogExperiment.POLLS
                && cell.experiment() != LogExperiment.PRODUCE_PROCESSOR
                && cell.experiment() != LogExperiment.CONSUME_FANOUT
                && !((LogExperiment) cell.experiment()).flushes();
    }

    @Override
    public List<Load> loads(Cell cell) {
        return List.of(new Load(LogExperiment.clients(cell), 0));
    }

    @Override
    public RunningBroker start(Path folder, BrokerTerms terms) {
        return new RunningBroker(null, folder.toString());
    }

    @Override
    public List<String> client(RunningBroker broker) {
        return JavaProgram.load(FLAGS, "chronicle", broker, "");
    }
}
