package io.rocketbufs.out;

import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.options.DataOutStatus;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

/**
 * A reporter that passes the status of one buffer's deliveries to the application, in the order of delivery.
 *
 * <p><b>Thread-safety:</b> any thread may call {@link #announce}. Reports run one at a time, on the executors passed to
 * it. <b>Source:</b> RocketBufs 3.2, set_data_out_cb, with a status added.
 */
final class DataOutReports {
    private final DeliveryLog log;
    private final BiConsumer<Object, DataOutStatus> sink;
    private final AtomicInteger announced = new AtomicInteger();
    private final Runnable run = this::run;
    private LongSupplier released;
    private final Runnable onReported;
    private volatile long reported;
    private volatile long reportedPosition;

    /**
     * Creates a reporter for a log's deliveries.
     *
     * @param onReported run after each batch of reports, when the reported deliveries' records are free
     */
    DataOutReports(DeliveryLog log, BiConsumer<Object, DataOutStatus> sink, Runnable onReported) {
        this.log = log;
        this.sink = sink;
        this.onReported = onReported;
    }

    /** Sets the supplier of the log position that all readers have passed. Must be called before the first report. */
    void follow(LongSupplier position) {
        released = position;
    }

    /**
     * Returns the number of the first record that has not been reported. The slots of earlier records may be reused.
     */
    long reported() {
        return reported;
    }

    /** Returns the log position up to which deliveries have been reported. */
    long reportedPosition() {
        return reportedPosition;
    }

    /** Announces that memory has been released; the reports then run on {@code worker}. */
    void announce(Executor worker) {
        if (announced.getAndIncrement() == 0) {
            worker.execute(run);
        }
    }

    private void run() {
        Throwable failure = null;
        int seen;
        do {
            seen = announced.get();
            try {
                report();
            } catch (RuntimeException | Error e) {
                // The application threw this exception. Later deliveries must still be reported, because they occupy
                // records.
                failure = e;
                seen = -1;
            }
        } while (!announced.compareAndSet(seen, 0));
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            throw (RuntimeException) failure;
        }
    }

    private void report() {
        long passed = released.getAsLong();
        long record = reported;
        for (; record < log.nextRecord() && log.logEnd(record) <= passed; record++) {
            DataOutStatus status = log.status(record);
            Object context = log.takeContext(record);
            long end = log.logEnd(record);
            reported = record + 1;
            reportedPosition = end;
            sink.accept(context, status);
        }
        onReported.run();
    }
}
