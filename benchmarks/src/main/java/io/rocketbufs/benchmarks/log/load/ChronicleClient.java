package io.rocketbufs.benchmarks.log.load;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.core.time.TimeProvider;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.StoreFileListener;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;

/**
 * Chronicle Queue, a library without a broker or a network: the producer and the consumer map the log's files. A topic
 * is a queue. A record counts as acknowledged when the producer has written it to the mapped memory.
 */
final class ChronicleClient implements LogClient {
    private final Path folder;
    private final Map<String, Topic> topics = new HashMap<>();

    /** Creates a client with its files in a folder. */
    ChronicleClient(Path folder) {
        this.folder = folder;
    }

    @Override
    public void create(String topic, int partitions) {
        topics.put(topic, new Topic(folder.resolve(topic)));
    }

    @Override
    public Producer producer(String topic, int batch, int size, Acknowledgements acknowledgements) {
        return new QueueProducer(topics.get(topic), acknowledgements);
    }

    @Override
    public Consumer consumer(String topic, int fetch, int size, Start start) {
        ExcerptTailer tailer = topics.get(topic).queue.createTailer();
        return new QueueConsumer(
                start == Start.EARLIEST ? tailer.toStart() : tailer.toEnd(), Math.max(1, fetch / size));
    }

    @Override
    public long count(String topic, int partitions) {
        return topics.get(topic).count();
    }

    @Override
    public void release(String topic) throws IOException {
        topics.remove(topic).queue.close();
        try (Stream<Path> files = Files.walk(folder.resolve(topic))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Override
    public void close() {
        topics.values().forEach(topic -> topic.queue.close());
    }

    /**
     * A queue whose time advances with its length, so that it starts a new file every 64 MiB and deletes the oldest
     * files. With a real clock, files could have any length.
     */
    private static final class Topic implements TimeProvider, StoreFileListener {
        private static final long SEGMENT_LENGTH = 64 << 20;
        private static final int KEPT = (int) (LoadOptions.RETENTION_LENGTH / SEGMENT_LENGTH);
        private static final RollCycles CYCLE = RollCycles.FIVE_MINUTELY;

        private final SingleChronicleQueue queue;
        private final NavigableMap<Integer, File> files = new TreeMap<>();
        private final Map<Integer, Long> counts = new HashMap<>();
        private long deleted;
        private int cycle = 1;
        private long length;

        Topic(Path path) {
            queue = SingleChronicleQueueBuilder.single(path.toFile())
                    .rollCycle(CYCLE)
                    .timeProvider(this)
                    .storeFileListener(this)
                    .build();
        }

        @Override
        public long currentTimeMillis() {
            return (long) cycle * CYCLE.lengthInMillis();
        }

        /** Starts a new file if the current file is full. */
        void advance(ExcerptAppender appender, int size) {
            length += size;
            if (length > SEGMENT_LENGTH) {
                counts.put(cycle, CYCLE.toSequenceNumber(appender.lastIndexAppended()) + 1);
                cycle++;
                length = 0;
            }
        }

        /** Returns the number of records in all files, including deleted files. */
        long count() {
            queue.refreshDirectoryListing();
            return deleted + queue.entryCount();
        }

        @Override
        public void onAcquired(int acquired, File file) {
            files.put(acquired, file);
            while (!counts.isEmpty() && files.firstKey() <= cycle - KEPT) {
                Map.Entry<Integer, File> oldest = files.pollFirstEntry();
                deleted += counts.remove(oldest.getKey());
                try {
                    Files.delete(oldest.getValue().toPath());
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }

        @Override
        public void onReleased(int released, File file) {
            // Files are deleted only when there are too many, even if a consumer has mapped them.
        }
    }

    private static final class QueueProducer implements Producer {
        private final Topic topic;
        private final ExcerptAppender appender;
        private final Acknowledgements acknowledgements;

        QueueProducer(Topic topic, Acknowledgements acknowledgements) {
            this.topic = topic;
            this.appender = topic.queue.createAppender();
            this.acknowledgements = acknowledgements;
        }

        @Override
        public void send(int partition, byte[] value) {
            try (DocumentContext context = appender.writingDocument()) {
                context.wire().bytes().write(value);
            }
            topic.advance(appender, value.length);
            acknowledgements.add(1);
        }

        @Override
        public void flush() {
            // Each record has already been written when send returns.
        }

        @Override
        public void close() {
            appender.close();
        }
    }

    private static final class QueueConsumer implements Consumer {
        private static final long MILLI_NS = 1_000_000;

        private final ExcerptTailer tailer;
        private final int most;
        private byte[] value = new byte[0];
        private long polls;

        QueueConsumer(ExcerptTailer tailer, int most) {
            this.tailer = tailer;
            this.most = most;
        }

        @Override
        public int poll(long timeoutMs, RecordCheck check) {
            polls++;
            long deadlineNs = System.nanoTime() + timeoutMs * MILLI_NS;
            while (!read(check)) {
                if (System.nanoTime() >= deadlineNs) {
                    return 0;
                }
                Thread.onSpinWait();
            }
            int count = 1;
            while (count < most && read(check)) {
                count++;
            }
            return count;
        }

        private boolean read(RecordCheck check) {
            try (DocumentContext context = tailer.readingDocument()) {
                if (!context.isPresent()) {
                    return false;
                }
                Bytes<?> bytes = context.wire().bytes();
                int length = (int) bytes.readRemaining();
                if (value.length < length) {
                    value = new byte[length];
                }
                bytes.read(value, 0, length);
                check.accept(ByteBuffer.wrap(value, 0, length));
                return true;
            }
        }

        @Override
        public long polls() {
            return polls;
        }

        @Override
        public void close() {
            tailer.close();
        }
    }
}
