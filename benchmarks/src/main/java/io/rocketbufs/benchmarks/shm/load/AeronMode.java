package io.rocketbufs.benchmarks.shm.load;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.util.function.Supplier;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;

/** The settings of Aeron's driver, and the idle strategy of the threads that send and receive. */
public enum AeronMode {
    /** The driver uses its defaults; clients spin, then yield, and finally sleep. */
    DEFAULT("the driver's defaults; clients back off", BackoffIdleStrategy::new),
    /** Clients yield the processor between two polls. */
    YIELD("one thread for the driver, which backs off; clients yield", YieldingIdleStrategy::new),
    /** Clients spin. */
    SPIN("one thread for the driver, which backs off; clients spin", BusySpinIdleStrategy::new),
    /** All threads spin. */
    DEDICATED("three threads for the driver, and clients, which all spin", BusySpinIdleStrategy::new);

    private final String text;
    private final Supplier<IdleStrategy> idle;

    AeronMode(String text, Supplier<IdleStrategy> idle) {
        this.text = text;
        this.idle = idle;
    }

    /** Returns a description for reports. */
    public String text() {
        return text;
    }

    /** Returns whether array bounds checks are turned off, as Aeron's documentation recommends for measurements. */
    public boolean isTuned() {
        return this != DEFAULT;
    }

    /** Returns a new strategy for one thread of a client. */
    IdleStrategy idle() {
        return idle.get();
    }

    /** Applies this mode's settings to the driver's context, and returns the context. */
    MediaDriver.Context apply(MediaDriver.Context context) {
        return switch (this) {
            case DEFAULT -> context;
            case YIELD, SPIN -> context.threadingMode(ThreadingMode.SHARED);
            case DEDICATED ->
                context.threadingMode(ThreadingMode.DEDICATED)
                        .conductorIdleStrategy(idle())
                        .senderIdleStrategy(idle())
                        .receiverIdleStrategy(idle());
        };
    }
}
