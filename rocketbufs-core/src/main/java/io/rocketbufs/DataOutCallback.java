package io.rocketbufs;

import io.rocketbufs.options.DataOutStatus;

/** The callback invoked with the status of each delivery. */
@FunctionalInterface
public interface DataOutCallback {
    /**
     * Called when the status of a delivery is known, in the order of delivery. Runs on a worker, or on the delivering
     * thread if there is no subscriber; must not block.
     *
     * @param context the context passed to {@link ROut#deliver}
     */
    void onDataOut(Object context, DataOutStatus status);
}
