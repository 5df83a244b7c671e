package io.rocketbufs.rocketlog.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class OrderQueueTest {
    private final OrderQueue queue = new OrderQueue();

    private void pass(int count) {
        for (int i = 0; i < count; i++) {
            assertThat(queue.add((int) queue.taken() % OrderWordLayout.ORDERS, 0, 1))
                    .isTrue();
            assertThat(queue.take()).isNotEqualTo(OrderQueue.NONE);
        }
    }

    /** Tests all permutations of six orders, at the beginning and where the numbers wrap around. */
    @Test
    void shouldTakeOrdersInSequenceRegardlessOfTheirArrival() {
        for (int start : new int[] {0, OrderQueue.LIMIT - 2, OrderWordLayout.ORDERS - 3}) {
            pass((start - (int) queue.taken() % OrderWordLayout.ORDERS) & OrderWordLayout.ORDERS - 1);
            for (List<Integer> arrival : permutations(List.of(0, 1, 2, 3, 4, 5))) {
                checkArrival(arrival);
            }
        }
    }

    private void checkArrival(List<Integer> arrival) {
        long base = queue.taken();
        List<Integer> taken = new ArrayList<>();
        for (int each : arrival) {
            int order = (int) ((base + each) % OrderWordLayout.ORDERS);
            assertThat(queue.distance(order)).isEqualTo(base + each - queue.taken());
            assertThat(queue.add(order, each, 100 + each)).isTrue();
            assertThat(queue.add(order, each, 100 + each)).isFalse();
            for (long entry = queue.take(); entry != OrderQueue.NONE; entry = queue.take()) {
                assertThat(queue.isMisplaced(entry)).isFalse();
                assertThat(OrderQueue.length(entry)).isEqualTo(100 + OrderQueue.writer(entry));
                assertThat(OrderQueue.order(entry)).isEqualTo((int) ((base + OrderQueue.writer(entry)) % 65_536));
                taken.add(OrderQueue.writer(entry));
            }
            assertThat(queue.isWaiting()).isEqualTo(taken.size() < arrival.indexOf(each) + 1);
        }
        assertThat(taken).containsExactly(0, 1, 2, 3, 4, 5);
    }

    private static List<List<Integer>> permutations(List<Integer> of) {
        if (of.isEmpty()) {
            return List.of(List.of());
        }
        List<List<Integer>> all = new ArrayList<>();
        for (Integer first : of) {
            List<Integer> rest = new ArrayList<>(of);
            rest.remove(first);
            for (List<Integer> each : permutations(rest)) {
                List<Integer> made = new ArrayList<>(List.of(first));
                made.addAll(each);
                all.add(made);
            }
        }
        return all;
    }

    @Test
    void shouldAcceptExactlyTheOrdersThatCanBeOutstanding() {
        for (int before : new int[] {0, 5, 1018, 1023, 1024, 64_000, 65_535}) {
            pass(before - (int) queue.taken());
            for (int order = 0; order < OrderWordLayout.ORDERS; order++) {
                boolean isOutstanding = (order - before + 65_536) % 65_536 < OrderQueue.LIMIT;
                assertThat(queue.add(order, 1, 1))
                        .as("%d after %d", order, before)
                        .isEqualTo(isOutstanding);
            }
            List<Integer> drained = new ArrayList<>();
            queue.drain(entry -> drained.add(OrderQueue.order(entry)));
            int first = before;
            assertThat(drained)
                    .isEqualTo(IntStream.range(0, OrderQueue.LIMIT)
                            .mapToObj(i -> (first + i) % 65_536)
                            .toList());
            assertThat(queue.isWaiting()).isFalse();
        }
    }

    /**
     * A thread pauses in the middle of an addition. In the meantime, another thread adds the same order, which is then
     * taken.
     */
    @Test
    void shouldDetectAnOrderInThePlaceOfALaterOneWhenItWasAddedAgainWhileItWasTaken() {
        int order = 3;
        pass(order);
        assertThat(queue.distance(order)).isZero();
        pass(1);
        assertThat(queue.put(order, 7, 1)).isTrue();
        pass(OrderQueue.LIMIT);
        assertThat(queue.taken()).isEqualTo(order + OrderQueue.LIMIT + 1);
        assertThat(queue.add(order + OrderQueue.LIMIT + 1, 0, 1)).isFalse();
        long entry = queue.take();
        assertThat(OrderQueue.writer(entry)).isEqualTo(7);
        assertThat(queue.isMisplaced(entry)).isTrue();
    }

    @Test
    void shouldKeepEveryFieldAtItsLimits() {
        queue.add(0, 65_535, 0);
        queue.add(1, 0, Long.MAX_VALUE);
        long first = queue.take();
        assertThat(OrderQueue.writer(first)).isEqualTo(65_535);
        assertThat(OrderQueue.length(first)).isZero();
        long second = queue.take();
        assertThat(OrderQueue.order(second)).isEqualTo(1);
        assertThat(OrderQueue.writer(second)).isZero();
        assertThat(OrderQueue.length(second)).isEqualTo(Integer.MAX_VALUE);
    }

    /** Compares the queue with a map. Uses random orders, many of which are invalid. */
    @Test
    void shouldBehaveLikeAMapOfTheOutstandingOrders() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        Map<Long, Integer> model = new HashMap<>();
        for (int i = 0; i < 300_000; i++) {
            int ahead = random.nextInt(20) == 0 ? random.nextInt(65_536) : random.nextInt(4);
            long count = queue.taken() + ahead;
            boolean isFree = ahead < OrderQueue.LIMIT && !model.containsKey(count);
            assertThat(queue.add((int) (count % 65_536), i % 65_536, 1)).isEqualTo(isFree);
            if (isFree) {
                model.put(count, i % 65_536);
            }
            while (random.nextInt(3) > 0) {
                Integer expected = model.remove(queue.taken());
                long entry = queue.take();
                assertThat(entry == OrderQueue.NONE ? null : OrderQueue.writer(entry))
                        .isEqualTo(expected);
                if (expected == null) {
                    break;
                }
            }
        }
    }

    @Test
    void shouldLoseNoOrderOfSeveralThreads() throws InterruptedException {
        int total = 100_000;
        AtomicLong word = new AtomicLong();
        AtomicInteger failed = new AtomicInteger();
        List<Thread> writers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int writer = i;
            writers.add(new Thread(() -> {
                for (long count = word.getAndIncrement(); count < total; count = word.getAndIncrement()) {
                    while (count - queue.taken() >= OrderQueue.LIMIT && failed.get() == 0) {
                        Thread.yield();
                    }
                    if (!queue.add((int) (count % 65_536), writer, count)) {
                        failed.incrementAndGet();
                    }
                }
            }));
        }
        writers.forEach(Thread::start);
        while (queue.taken() < total && failed.get() == 0) {
            long expected = queue.taken();
            long entry = queue.take();
            if (entry == OrderQueue.NONE) {
                Thread.yield();
            } else {
                assertThat(OrderQueue.length(entry)).isEqualTo((int) expected);
            }
        }
        for (Thread each : writers) {
            each.join();
        }
        assertThat(failed).hasValue(0);
    }
}
