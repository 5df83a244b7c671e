package io.rocketbufs.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.buffer.DeliveryLog.Cursor;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that compare the results of several readers of different speeds with a list of all deliveries. Each byte
 * encodes its log position, so the tests detect memory that is reused too early or read from the wrong place.
 */
class DeliveryLogModelTest {
    private static final int ROUNDS = 300;
    private static final int STEPS = 400;

    private final MemoryPool pool = new MemoryPool(1 << 16);
    private final Region region = pool.allocate(1000);
    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);

    private CircularBuffer memory;
    private DeliveryLog log;
    private boolean coalesce;
    private long mergeLimit;
    private final List<Open> open = new ArrayList<>();
    private final List<Delivery> deliveries = new ArrayList<>();
    private final List<Reader> readers = new ArrayList<>();
    private final List<Long> held = new ArrayList<>();
    private long reserved;
    private long freed;

    private record Open(long start, long length) {}

    private static final class Delivery {
        private long localStart;
        private long start;
        private long end;
        private boolean discarded;
    }

    /** A reader of the log, which simulates a subscription. */
    private final class Reader {
        private final Cursor cursor = new Cursor();
        private final Deque<Long> inFlight = new ArrayDeque<>();
        private long transferEnd;
        private long released;

        /** Starts a transfer, and compares its end with the model's. */
        private void begin() {
            long from = firstWanted(cursor.position());
            long limit = random.nextInt(60);
            transferEnd = log.transferEnd(cursor, limit, coalesce);
            if (from < 0) {
                check(transferEnd == cursor.position());
            } else {
                check(cursor.position() == from && transferEnd > from);
                check(log.separate() ? transferEnd == expectedEnd(from, limit) : isAllowedEnd(from, limit));
            }
            if (inFlight.isEmpty()) {
                released = cursor.position();
            }
        }

        private boolean isAllowedEnd(long from, long limit) {
            boolean oneDelivery = transferEnd == endOfDeliveryAt(from);
            return isBoundary(transferEnd) && (oneDelivery || transferEnd - from <= Math.max(limit, mergeLimit));
        }

        private void write() {
            Vecs vecs = new Vecs(1 + random.nextInt(4));
            long wanted = 1 + random.nextInt((int) (transferEnd - cursor.position()));
            long length = log.gather(cursor, wanted, memory, vecs);
            check(length > 0 && length <= wanted && length == vecs.totalLength());
            check(length == wanted || vecs.count() == vecs.maxCount());
            checkBytes(cursor.position(), vecs);
            log.advance(cursor, length);
            inFlight.add(cursor.position());
        }

        private void step() {
            if (!inFlight.isEmpty() && random.nextInt(3) == 0) {
                released = inFlight.remove();
            } else if (transferEnd > cursor.position()) {
                check(random.nextBoolean() || log.hasMore(cursor));
                write();
            } else {
                boolean wanted = firstWanted(cursor.position()) >= 0;
                check(random.nextBoolean() || log.hasMore(cursor) == wanted);
                begin();
            }
        }

        private boolean isDone() {
            return released == log.end();
        }
    }

    @AfterEach
    void closePool() {
        pool.close();
    }

    @Test
    void shouldAgreeWithAListOfAllDeliveries() {
        for (int round = 0; round < ROUNDS; round++) {
            begin();
            for (int step = 0; step < STEPS; step++) {
                step();
                check(freed <= lowestInUse());
            }
            finish();
        }
    }

    private void begin() {
        int capacity = 20 + random.nextInt(200);
        boolean separate = random.nextBoolean();
        coalesce = random.nextBoolean();
        mergeLimit = coalesce ? random.nextInt(50) : 0;
        memory = new CircularBuffer(region, capacity);
        log = new DeliveryLog(1 << 1 + random.nextInt(6), separate);
        open.clear();
        deliveries.clear();
        readers.clear();
        held.clear();
        reserved = 0;
        freed = 0;
    }

    private void step() {
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> reserve();
            case 3, 4, 5 -> deliver();
            case 6 -> discard();
            case 7 -> comeAndGo();
            default -> {
                if (!readers.isEmpty()) {
                    readers.get(random.nextInt(readers.size())).step();
                }
            }
        }
    }

    private void reserve() {
        long length = 1 + random.nextInt(20);
        if (log.room() <= open.size() || reserved + length - freed > memory.capacity()) {
            reclaim();
        }
        if (log.room() > open.size() && reserved + length - freed <= memory.capacity()) {
            open.add(new Open(reserved, length));
            reserved += length;
        }
    }

    private void reclaim() {
        long openFloor = open.isEmpty() ? reserved : open.get(0).start;
        freed = Math.max(freed, log.reclaim(minReleased(), Long.MAX_VALUE, openFloor));
    }

    private void deliver() {
        if (open.isEmpty()) {
            return;
        }
        Open from = open.remove(random.nextInt(open.size()));
        long length = random.nextInt((int) from.length + 1);
        if (from.start + from.length == reserved) {
            reserved = from.start + length;
        }
        if (length > 0) {
            append(from.start, length);
        }
    }

    private void append(long localStart, long length) {
        Delivery delivery = new Delivery();
        delivery.localStart = localStart;
        delivery.start = log.end();
        delivery.end = log.end() + length;
        deliveries.add(delivery);
        for (long i = 0; i < length; i++) {
            memory.window(0).put((int) memory.offset(localStart + i), byteAt(delivery.start + i));
        }
        long floor = open.isEmpty() ? localStart : Math.min(localStart, open.get(0).start);
        log.append(localStart, length, floor, mergeLimit, null);
        check(log.end() == delivery.end && log.visibleEnd() == delivery.end);
    }

    private void discard() {
        if (log.separate() && !deliveries.isEmpty()) {
            int number = deliveries.size() - 1 - random.nextInt(Math.min(5, deliveries.size()));
            Delivery delivery = deliveries.get(number);
            boolean discarded = log.discard(number, minReleased());
            check(discarded == (!delivery.discarded && delivery.end > minReleased()));
            delivery.discarded |= discarded;
        }
    }

    private void comeAndGo() {
        if (readers.size() + held.size() < 4 && random.nextBoolean()) {
            held.add(log.end());
        } else if (!held.isEmpty()) {
            join(held.remove(0));
        } else if (readers.size() < 4) {
            Reader reader = new Reader();
            log.seek(reader.cursor, log.visibleEnd());
            check(reader.cursor.position() == log.end());
            enter(reader);
        } else {
            readers.remove(random.nextInt(readers.size()));
        }
    }

    private void join(long position) {
        Reader reader = new Reader();
        log.seek(reader.cursor, position);
        enter(reader);
    }

    private void enter(Reader reader) {
        reader.transferEnd = reader.cursor.position();
        reader.released = reader.cursor.position();
        readers.add(reader);
    }

    /** Lets all readers read to the end. After that, all memory must be free. */
    private void finish() {
        open.clear();
        held.forEach(this::join);
        held.clear();
        for (Reader reader : readers) {
            for (int i = 0; i < 10_000 && !reader.isDone(); i++) {
                reader.step();
            }
            check(reader.isDone());
        }
        reclaim();
        check(freed == reserved);
        check(log.room() >= 1);
    }

    // The model.

    private long minReleased() {
        long min = log.end();
        for (Reader reader : readers) {
            min = Math.min(min, reader.released);
        }
        for (long position : held) {
            min = Math.min(min, position);
        }
        return min;
    }

    private long lowestInUse() {
        long lowest = open.isEmpty() ? reserved : open.get(0).start;
        long released = minReleased();
        for (Delivery delivery : deliveries) {
            if (delivery.end > released) {
                lowest = Math.min(lowest, delivery.localStart + Math.max(0, released - delivery.start));
            }
        }
        return lowest;
    }

    /** Returns the first position at or after the given one that is not discarded, or -1 if there is none. */
    private long firstWanted(long position) {
        for (Delivery delivery : deliveries) {
            if (delivery.end > position && !delivery.discarded) {
                return Math.max(position, delivery.start);
            }
        }
        return -1;
    }

    private long expectedEnd(long from, long limit) {
        long end = -1;
        for (Delivery delivery : deliveries) {
            boolean first = end < 0;
            if (delivery.start >= from && (first || delivery.end - from <= limit)) {
                if (delivery.discarded || !first && !coalesce) {
                    break;
                }
                end = delivery.end;
            } else if (delivery.start >= from) {
                break;
            }
        }
        return end;
    }

    private long endOfDeliveryAt(long position) {
        return deliveries.stream()
                .filter(delivery -> delivery.start == position)
                .mapToLong(delivery -> delivery.end)
                .findFirst()
                .orElse(-1);
    }

    private boolean isBoundary(long position) {
        return deliveries.stream().anyMatch(delivery -> delivery.end == position);
    }

    private void checkBytes(long position, Vecs vecs) {
        long at = position;
        for (int i = 0; i < vecs.count(); i++) {
            for (int k = 0; k < vecs.length(i); k++, at++) {
                check(vecs.window(i).get(vecs.offset(i) + k) == byteAt(at));
            }
        }
    }

    private static byte byteAt(long logPosition) {
        return (byte) (logPosition * 31 + (logPosition >> 8));
    }

    private void check(boolean condition) {
        if (!condition) {
            assertThat(condition).as("seed=%d", seed).isTrue();
        }
    }
}
