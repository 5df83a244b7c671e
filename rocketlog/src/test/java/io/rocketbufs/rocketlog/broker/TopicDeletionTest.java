package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.rocketbufs.rocketlog.broker.LogTopics.RefusedException;
import io.rocketbufs.rocketlog.log.LogDirectory;
import io.rocketbufs.rocketlog.log.LogOptions;
import io.rocketbufs.rocketlog.log.MemoryLogs;
import io.rocketbufs.rocketlog.protocol.LogRefusal;
import io.rocketbufs.rocketlog.protocol.LogTopicOptions;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout.NewTopic;
import io.rocketbufs.rocketlog.record.BatchLimits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Tests of the deletion of a topic. They run the deletion's disk tasks one by one. */
@Timeout(600)
final class TopicDeletionTest {
    private static final int PARTITIONS = 3;
    private static final LogOptions OPTIONS = LogOptions.DEFAULTS.withSegments(64 << 10, 0, 16 << 10);

    @TempDir
    Path folder;

    private final Queue<Runnable> disk = new ArrayDeque<>();
    private final List<String> answers = new ArrayList<>();
    private LogDirectory directory;
    private MemoryTopics memory;
    private LogTopics topics;

    @BeforeEach
    void open() throws RefusedException {
        directory = LogDirectory.open(folder, OPTIONS, (log, durableOffset) -> {});
        memory = new MemoryTopics(new MemoryLogs(OPTIONS), new LogBrokerSettings.Memory(256 << 10, 512 << 10));
        topics = new LogTopics(directory, folder, memory, BatchLimits.NONE, OPTIONS, PARTITIONS);
        topics.open();
        create("orders");
    }

    @AfterEach
    void close() {
        topics.close();
        memory.close();
        directory.close();
    }

    private void create(String topic) throws RefusedException {
        topics.create(new NewTopic(topic, PARTITIONS, TopicMessageLayout.ON_DISK, LogTopicOptions.NONE));
    }

    private void delete(String topic) {
        new TopicDeletion(
                        new TopicDeletion.Terms(topics, disk::add, List.of()),
                        topic,
                        refusal -> answers.add(refusal == null ? "deleted" : refusal.getMessage()))
                .start();
    }

    private void runAll() {
        while (!disk.isEmpty()) {
            disk.remove().run();
        }
    }

    private List<Path> folders() throws Exception {
        try (var all = Files.list(folder)) {
            return all.filter(each -> each.getFileName().toString().startsWith("orders-"))
                    .toList();
        }
    }

    private void assertRefused(LogRefusal kind, String topic) {
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(() -> create(topic))
                .matches(e -> e.kind() == kind);
    }

    @Test
    void shouldAnswerBeforeItRemovesThePartitionsInSeparateTasks() throws Exception {
        delete("orders");
        assertThat(answers).containsExactly("deleted");
        assertThat(topics.topic("orders")).isNull();
        assertThat(folder.resolve("topics/orders")).doesNotExist();
        for (int left = PARTITIONS; left > 0; left--) {
            assertThat(folders()).hasSize(left);
            assertThat(topics.partitionCount()).isEqualTo(left);
            assertThat(disk).hasSize(1); // only one task, so that other tasks can run in between
            disk.remove().run();
        }
        assertThat(folder.resolve("topics/orders~deleted")).exists();
        assertRefused(LogRefusal.NOT_NOW, "orders");
        runAll();
        assertThat(folders()).isEmpty();
        assertThat(folder.resolve("topics")).isEmptyDirectory();
        create("orders");
    }

    @Test
    void shouldRemoveAndNameTheFoldersOfPartitionsThatTheTopicDoesNotHave() throws Exception {
        Path left = Files.createDirectory(folder.resolve("orders-" + PARTITIONS));
        Files.writeString(left.resolve("00000000000000000000.log"), "batches of a former topic");
        List<Path> others = new ArrayList<>();
        for (String name : List.of("orders-0.bak", "orders-3-0", "orders-", "orders2-3")) {
            others.add(Files.createDirectory(folder.resolve(name)));
        }
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(DeletedTopics.class);
        logged.start();
        logger.addAppender(logged);
        try {
            delete("orders");
            runAll();
        } finally {
            logger.detachAppender(logged);
        }
        assertThat(left).doesNotExist();
        assertThat(others).allMatch(Files::isDirectory);
        assertThat(logged.list)
                .filteredOn(event -> event.getLevel() == Level.WARN)
                .singleElement()
                .asString()
                .contains("[orders-3]");
        create("orders");
    }

    @Test
    void shouldRunWhatWaitsForTheNameOrThePartitionsOnceTheTopicHasNoFiles() throws Exception {
        assertThat(topics.afterDeletion(() -> answers.add("never"))).isFalse();
        delete("orders");
        assertRefused(LogRefusal.LIMIT, "prices");
        assertThat(topics.afterDeletion(() -> answers.add("repeated"))).isTrue();
        while (disk.size() == 1 && !folders().isEmpty()) {
            disk.remove().run();
        }
        assertThat(answers).containsExactly("deleted");
        runAll();
        assertThat(answers).containsExactly("deleted", "repeated");
        create("prices");
        assertThat(topics.afterDeletion(() -> answers.add("never"))).isFalse();
    }

    @Test
    void shouldWaitForTheLeaseOfAPartitionWithoutOccupyingTheDisk() throws Exception {
        LogPartition leased = topics.topic("orders").partition(1);
        assertThat(leased.turn().tryEnter()).isTrue();
        delete("orders");
        runAll();
        assertThat(folders()).hasSize(PARTITIONS - 1);
        assertThat(answers).containsExactly("deleted");
        leased.turn().exit();
        runAll();
        assertThat(folders()).isEmpty();
        create("orders");
    }

    @Test
    void shouldRemoveTheOtherPartitionsIfOneCannotBeRemovedAndTryAgainWhenDeletedAgain() throws Exception {
        Path foreign = Files.createDirectory(folder.resolve("orders-0/foreign"));
        delete("orders");
        assertThat(topics.afterDeletion(() -> answers.add("repeated"))).isTrue();
        runAll();
        assertThat(folders()).containsExactly(folder.resolve("orders-0"));
        assertThat(topics.partitionCount()).isZero();
        assertRefused(LogRefusal.STORAGE, "orders");
        delete("orders");
        Files.delete(foreign);
        delete("orders");
        assertThat(folders()).isEmpty();
        assertThat(answers).hasSize(4).startsWith("deleted", "repeated").endsWith("deleted");
        assertThat(answers.get(2)).contains("topic orders was deleted, but", "cannot delete " + folder + "/orders-0");
        delete("orders");
        assertThat(answers).endsWith("topic orders does not exist; list the topics with: rocketlog topics");
    }
}
