package io.rocketbufs.rocketnet.loopback;

import java.util.concurrent.TimeUnit;

/**
 * A counter of the activities in a network, with which tests wait until the network is quiet.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class LoopbackQuiet {
    private long underWay;

    synchronized void began() {
        underWay++;
    }

    synchronized void ended(int count) {
        underWay -= count;
        if (underWay == 0) {
            notifyAll();
        }
    }

    synchronized boolean await(long limitMs) throws InterruptedException {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMs);
        while (underWay > 0) {
            long leftNs = endNs - System.nanoTime();
            if (leftNs <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, leftNs);
        }
        return true;
    }
}
