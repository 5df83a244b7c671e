package io.rocketbufs.rbmq.client;

import java.util.List;

/**
 * The subscriptions that receive the messages of one buffer. One subscription costs no loop.
 *
 * <p><b>Thread-safety:</b> the connection's worker.
 */
interface Recipients {
    /** Returns true when the next message can be handed over. Called before each message. */
    boolean takes();

    /** Hands a message over. Returns false if its only subscription has given it back, and is closed. */
    boolean hand(Message message);

    /**
     * Called when reading pauses or a transfer ends.
     *
     * @param count number of messages handed over since the last call
     * @param length their total length in bytes
     */
    void count(long count, long length);

    /** A callback for exceptions that a handler throws. */
    @FunctionalInterface
    interface HandlerFailure {
        void onHandlerFailure(Subscription subscription, Throwable failure);
    }

    /** Returns the recipients of a buffer. Without subscriptions, its messages are skipped. */
    static Recipients of(List<Subscription> subscriptions, HandlerFailure onFailure) {
        return switch (subscriptions.size()) {
            case 0 -> new None();
            case 1 -> new One(subscriptions.get(0), onFailure);
            default -> new Several(subscriptions.toArray(new Subscription[0]), onFailure);
        };
    }

    private static void hand(Message message, Subscription to, HandlerFailure onFailure) {
        try {
            to.handler().onMessage(message);
        } catch (VirtualMachineError e) {
            throw e;
        } catch (Throwable e) {
            onFailure.onHandlerFailure(to, e);
        }
    }

    /**
     * No subscription, for messages whose subscriptions have been closed: later subscriptions must not receive them.
     */
    final class None implements Recipients {
        private None() {}

        @Override
        public boolean takes() {
            return true;
        }

        @Override
        public boolean hand(Message message) {
            return true;
        }

        @Override
        public void count(long count, long length) {}
    }

    /** A single subscription. */
    final class One implements Recipients {
        private final Subscription subscription;
        private final HandlerFailure onFailure;

        private One(Subscription subscription, HandlerFailure onFailure) {
            this.subscription = subscription;
            this.onFailure = onFailure;
        }

        @Override
        public boolean takes() {
            return subscription.isTaking();
        }

        @Override
        public boolean hand(Message message) {
            Recipients.hand(message, subscription, onFailure);
            if (message.wasGivenBack()) {
                subscription.close();
                return false;
            }
            return true;
        }

        @Override
        public void count(long count, long length) {
            subscription.counts().received(count, length);
        }
    }

    /**
     * Several subscriptions. Each message is handed to all of them, or to none while one is paused; those that have
     * been closed are left out.
     */
    final class Several implements Recipients {
        private final Subscription[] subscriptions;
        private final long[] counts;
        private final long[] lengths;
        private final HandlerFailure onFailure;

        private Several(Subscription[] subscriptions, HandlerFailure onFailure) {
            this.subscriptions = subscriptions;
            this.counts = new long[subscriptions.length];
            this.lengths = new long[subscriptions.length];
            this.onFailure = onFailure;
        }

        @Override
        public boolean takes() {
            boolean wanted = false;
            for (Subscription subscription : subscriptions) {
                if (subscription.isTaking()) {
                    wanted = true;
                } else if (!subscription.isLeft()) {
                    return false;
                }
            }
            return wanted;
        }

        @Override
        public boolean hand(Message message) {
            for (int i = 0; i < subscriptions.length; i++) {
                // A handler that pauses a subscription does not keep this message from the others.
                if (!subscriptions[i].isLeft()) {
                    Recipients.hand(message, subscriptions[i], onFailure);
                    counts[i]++;
                    lengths[i] += message.length();
                    if (message.wasGivenBack()) {
                        subscriptions[i].close();
                    }
                }
            }
            return true;
        }

        @Override
        public void count(long count, long length) {
            for (int i = 0; i < subscriptions.length; i++) {
                subscriptions[i].counts().received(counts[i], lengths[i]);
                counts[i] = 0;
                lengths[i] = 0;
            }
        }
    }
}
