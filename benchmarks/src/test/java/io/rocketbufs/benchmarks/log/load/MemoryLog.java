package io.rocketbufs.benchmarks.log.load;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;

/** An in-memory log that can lose records and deliver records twice. Producers retain only a few records. */
final class MemoryLog implements LogClient {
    private static final int FEW = 10;

    private final Map<String, Topic> topics = new ConcurrentHashMap<>();
    private final AtomicLong operations = new AtomicLong();
    private final List<String> released = new CopyOnWriteArrayList<>();
    private LongPredicate isLost = number -> false;
    private LongPredicate isDuplicated = number -> false;
    private LongPredicate isRefused = number -> false;

    /** The records of a topic. When the first records are discarded, the count is not reset. */
    private static final class Topic {
        private final List<byte[]> records = new CopyOnWriteArrayList<>();
        private final AtomicLong count = new AtomicLong();
        private final Map<Integer, Long> partitionCounts = new ConcurrentHashMap<>();
    }

    MemoryLog losing(LongPredicate numbers) {
        isLost = numbers;
        return this;
    }

    MemoryLog duplicating(LongPredicate numbers) {
        isDuplicated = numbers;
        return this;
    }

    MemoryLog refusing(LongPredicate numbers) {
        isRefused = numbers;
        return this;
    }

    /** Returns the total number of records sent and polls made. */
    long operations() {
        return operations.get();
    }

    /** Returns the topics whose space has been freed. */
    List<String> released() {
        return released;
    }

    /** Returns the number of records that each partition has received. */
    Collection<Long> partitionCounts(String topic) {
        return topics.get(topic).partitionCounts.values();
    }

    @Override
    public void release(String topic) {
        released.add(topic);
    }

    @Override
    public void create(String topic, int partitions) {
        topics.putIfAbsent(topic, new Topic());
    }

    @Override
    public Producer producer(String topic, int batch, int size, Acknowledgements acknowledgements) {
        return new Producer() {
            private long sent;

            @Override
            public void send(int partition, byte[] value) {
                operations.incrementAndGet();
                topics.get(topic).partitionCounts.merge(partition, 1L, Long::sum);
                long number = sent++;
                if (isRefused.test(number)) {
                    acknowledgements.fail("full");
                    return;
                }
                for (int copies = isLost.test(number) ? 0 : isDuplicated.test(number) ? 2 : 1; copies > 0; copies--) {
                    MemoryLog.this.append(topic, value);
                }
                acknowledgements.add(1);
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }

    /** Appends a record. */
    void append(String name, byte[] value) {
        Topic topic = topics.get(name);
        synchronized (topic) { // otherwise, several clients could make the list grow without limit
            if (topic.records.size() == FEW) {
                topic.records.remove(0);
            }
            topic.records.add(value.clone());
            topic.count.incrementAndGet();
        }
    }

    @Override
    public Consumer consumer(String topic, int fetch, int size, Start start) {
        Topic source = topics.get(topic);
        return new Consumer() {
            private long next = start == Start.EARLIEST ? 0 : source.count.get();
            private long polls;

            @Override
            public int poll(long timeoutMs, RecordCheck check) {
                operations.incrementAndGet();
                polls++;
                long end = source.count.get();
                if (next == end) {
                    return 0;
                }
                check.accept(ByteBuffer.wrap(source.records.get((int) (next - (end - source.records.size())))));
                next++;
                return 1;
            }

            @Override
            public long polls() {
                return polls;
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public long count(String topic, int partitions) {
        return topics.get(topic).count.get();
    }

    @Override
    public void close() {}
}
