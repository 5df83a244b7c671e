package io.rocketbufs.out;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.options.Start;
import io.rocketbufs.rocketnet.stub.StubWorker;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests with random schedules of deliveries and subscriptions. Subscriptions start at any position, consume data, stop,
 * unsubscribe and are lost. Each byte encodes its log position, so the tests detect memory that is reused too early.
 */
class LateSubscriptionModelTest {
    private static final int CAPACITY = 300;
    private static final int ROUNDS = 60;
    private static final int STEPS = 150;

    private final MemoryPool pool = new MemoryPool(1 << 16);
    private final StubWorker worker = new StubWorker();
    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);
    private final List<Reader> readers = new ArrayList<>();
    private final TreeSet<Long> boundaries = new TreeSet<>();
    private OutputBuffer buffer;
    private BufferOptions options;
    private long end;
    /** True in rounds in which subscriptions may request positions inside deliveries. */
    private boolean disturbed;

    /** A subscription, and the data that it must receive. */
    private final class Reader {
        private final StubSubscriber stub = new StubSubscriber(pool, worker);
        private final long start;
        private final long first;

        Reader(Start asked) {
            stub.to(buffer.fanout(), 100 + random.nextInt(400), SlowPolicy.BLOCK, asked);
            start = stub.subscription.stream().start();
            // Before the first write, this difference is the log position of the subscription's first byte.
            first = stub.subscription.stream().position()
                    - stub.subscription.credit().sentPosition();
        }

        /** Returns the end of the last delivery that this reader has received completely. */
        private long reached() {
            return Math.max(first, boundaries.floor(first + stub.bytes.size()));
        }

        private void checkBytes() {
            byte[] bytes = stub.bytes.toByteArray();
            for (int i = 0; i < bytes.length; i++) {
                if (bytes[i] != (byte) ((first + i) * 7)) {
                    throw new AssertionError("seed=" + seed + ": wrong byte at " + (first + i) + ", first=" + first);
                }
            }
        }
    }

    @AfterEach
    void closePool() {
        pool.close();
    }

    private void open() {
        options = BufferOptions.DEFAULTS
                .withCoalescing(random.nextBoolean())
                .withKeep(random.nextInt(3) * 120)
                .withResume(random.nextBoolean())
                .withRecordCount(64);
        readers.clear();
        boundaries.clear();
        boundaries.add(0L);
        end = 0;
        disturbed = random.nextBoolean();
        buffer = new OutputBuffer(
                1,
                pool.allocate(CAPACITY + options.keep()),
                CAPACITY,
                options,
                null,
                () -> false,
                () -> {},
                new HashSet<>());
    }

    private void deliver() {
        int reserved = 1 + random.nextInt(60);
        int length = random.nextInt(4) == 0 ? 1 + random.nextInt(reserved) : reserved;
        long position = buffer.reserve(reserved);
        if (position < 0) {
            return;
        }
        for (int i = 0; i < length; i++) {
            buffer.memory().window(0).put((int) buffer.memory().offset(position + i), (byte) ((end + i) * 7));
        }
        end += length;
        boundaries.add(end);
        buffer.deliver(position, reserved, length, null);
        worker.run();
    }

    private void join() {
        if (readers.size() > 3) {
            return;
        }
        int kind = random.nextInt(disturbed ? 5 : 4);
        long any = end - random.nextInt((int) Math.min(150, end + 1));
        // A position inside a delivery must not cause later subscriptions to start there.
        long wanted = kind == 4 ? any : boundaries.floor(any);
        Start asked = switch (kind) {
            case 0 -> Start.LIVE;
            case 1 -> Start.OLDEST;
            case 2 -> Start.LAST;
            default -> Start.at(wanted);
        };
        boolean waiting = options.resume() && readers.isEmpty();
        Reader reader = new Reader(asked);
        String what = "seed=" + seed + " asked=" + asked + " end=" + end + " keep=" + options.keep();
        if (kind < 4 || reader.first != wanted) {
            assertThat(boundaries).as(what).contains(reader.first);
        }
        assertThat(reader.start).as(what).isLessThanOrEqualTo(reader.first);
        assertThat(reader.stub.subscription.stream().live()).as(what).isEqualTo(end);
        if (asked.isPosition()) {
            assertThat(reader.start).as(what).isEqualTo(wanted);
            if (wanted >= end - options.keep()) {
                assertThat(reader.first).as(what).isEqualTo(wanted);
            }
        } else if (!disturbed) {
            assertThat(reader.first).as(what).isEqualTo(reader.start);
        }
        if (asked.equals(Start.LIVE) && !waiting) {
            assertThat(reader.first).as(what).isEqualTo(end);
        }
        if (asked.equals(Start.LAST) && end > 0) {
            long last = boundaries.lower(end);
            long merged = options.coalescing() ? buffer.fanout().limits().highest() : 0;
            boolean isKept = last - merged >= end - options.keep();
            assertThat(reader.first).as(what).isBetween(last - merged, isKept ? last : end);
        }
        if (asked.equals(Start.OLDEST)) {
            Long oldest = boundaries.ceiling(Math.max(0, end - options.keep()));
            assertThat(reader.first).as(what).isLessThanOrEqualTo(Math.min(end, oldest + mergedLength()));
        }
        readers.add(reader);
        worker.run();
    }

    /** Returns the length of the longest merged record of a buffer that keeps data. */
    private long mergedLength() {
        return options.coalescing() ? buffer.fanout().limits().least() : 0;
    }

    private void step() {
        if (random.nextInt(3) > 0) {
            deliver();
            return;
        }
        if (random.nextInt(4) == 0) {
            join();
            return;
        }
        if (readers.isEmpty()) {
            return;
        }
        Reader reader = readers.get(random.nextInt(readers.size()));
        switch (random.nextInt(8)) {
            case 0 -> lose(reader);
            case 1 -> {
                reader.stub.goOn();
                reader.stub.subscription.onUnsubscribe();
                worker.run();
                reader.checkBytes();
                readers.remove(reader);
            }
            case 2 -> reader.stub.stopped();
            case 3 -> reader.stub.goOn();
            default -> {
                long consumed = reader.stub.subscription.credit().consumedPosition();
                long sent = reader.stub.subscription.state().sentLength();
                reader.stub.subscription.onCredit(consumed + random.nextInt((int) (sent - consumed) + 1));
            }
        }
        worker.run();
        readers.forEach(Reader::checkBytes);
    }

    /** Ends a reader's connection. If the buffer resumes, the next reader continues where this reader stopped. */
    private void lose(Reader reader) {
        boolean last = readers.size() == 1;
        reader.stub.subscription.cut();
        reader.checkBytes();
        readers.remove(reader);
        if (last && options.resume() && random.nextBoolean()) {
            for (int i = random.nextInt(5); i > 0; i--) {
                deliver();
            }
            long reached = reader.reached();
            Reader next = new Reader(Start.at(reached));
            assertThat(next.first).as("seed=" + seed + " reached=" + reached).isEqualTo(reached);
            readers.add(next);
            worker.run();
        }
    }

    @Test
    void shouldSendEachReaderExactlyTheDataFromItsBeginningOn() {
        for (int round = 0; round < ROUNDS; round++) {
            open();
            for (int i = 0; i < STEPS; i++) {
                step();
            }
            for (Reader reader : readers) {
                reader.stub.goOn();
                for (int i = 0; i < 100 && reader.first + reader.stub.bytes.size() < end; i++) {
                    reader.stub.consumeAll();
                    worker.run();
                }
                reader.checkBytes();
                assertThat(reader.first + reader.stub.bytes.size())
                        .as("seed=" + seed)
                        .isEqualTo(end);
            }
            buffer.end();
            worker.run();
            readers.forEach(reader -> reader.stub.consumeAll());
            worker.run();
        }
        assertThat(pool.allocatedLength()).as("seed=" + seed).isZero();
    }
}
