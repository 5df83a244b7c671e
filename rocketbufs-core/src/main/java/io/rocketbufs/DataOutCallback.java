package io.rocketbufs;

import io.rocketbufs.options.DataOutStatus;

/** Is told what became of deliveries. */
@FunctionalInterface
public interface DataOutCallback {
    /**
     * A delivery is done, in the order of delivery. Called on a worker, or on the delivering thread when nobody is
     * subscribed; must not block.
     *
     * @param context what was passed to {@link ROut#deliver}
     */
    void onDataOut(Object context, DataOutStatus status);
}
