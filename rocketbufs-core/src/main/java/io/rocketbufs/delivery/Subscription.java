package io.rocketbufs.delivery;

import io.rocketbufs.metrics.SubscriptionState;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.WriteRequest;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.ImmediateLayout;

/**
 * One remote RIn's interest in one buffer: what it has been sent, what it may still be sent, and the next transfer.
 *
 * <p><b>Thread-safety:</b> sends under the connection's {@link Sender} token; {@code released} and the counters are
 * read by anybody; credit updates come on the connection's worker. <b>Source:</b> RocketBufs 3.2, 3.3.
 */
final class Subscription extends Turn {
    private final Fanout fanout;
    private final Endpoint endpoint;
    private final Sender sender;
    private final int tag;
    private final RemoteBuffer remote;
    private final Credit credit;
    private final CreditWord word;
    private final Progress progress;
    private final long coalesceLimit;
    private final SlowPolicy policy;
    private volatile boolean active;

    private final SlowWatch slowness;
    private final HoldWatch holding;

    // Under the token.
    /** Bytes of credit that this subscription waits for; 0 when it does not. */
    private long parkedFor;

    private final FlushRequest flush = new FlushRequest();
    private final Ending ending = new Ending();
    private final Skipping skipping;

    // For metrics only, which may see them late.
    private long transferCount;
    private long starvedCount;

    Subscription(Fanout fanout, Endpoint endpoint, int tag, RemoteBuffer remote, int wantedLimit, SlowPolicy policy) {
        this.fanout = fanout;
        this.endpoint = endpoint;
        this.sender = endpoint.sender();
        this.tag = tag;
        this.remote = remote;
        this.policy = policy;
        long quarter = Math.max(1, remote.capacity() / 4);
        this.coalesceLimit = Math.min(fanout.coalesceLimit(), Math.min(quarter, wantedLimit));
        LentWord lent = CreditWord.lend(endpoint.connection(), fanout.options().flowControl());
        this.credit = new Credit(remote.capacity(), fanout.options().flowControl(), coalesceLimit, lent != null);
        this.word = new CreditWord(lent, this, credit, fanout::onConsumed);
        this.progress = new Progress(fanout.log(), credit, this::onReleased, fanout::onConsumed);
        this.skipping = new Skipping(this, fanout, sender, progress);
        this.slowness = new SlowWatch(this, fanout.options());
        this.holding = new HoldWatch(this, fanout.options(), endpoint.settings().writeMs());
    }

    // Entering, by the worker, before the turn can be taken.

    /**
     * Stands where a place is held, or at the end of the log.
     *
     * @param from log position from which on data was held for this subscription; {@link Long#MAX_VALUE} for none
     * @param position the first that is held still; {@link Long#MAX_VALUE} for none
     */
    void join(long from, long position) {
        skipping.begin(progress.join(from, position));
    }

    /** From now on this subscription has turns. */
    void activate() {
        active = true;
        rest(Outcome.IDLE);
        sender.wake(this);
    }

    // Any thread.

    Endpoint endpoint() {
        return endpoint;
    }

    int tag() {
        return tag;
    }

    SlowPolicy policy() {
        return policy;
    }

    long coalesceLimit() {
        return coalesceLimit;
    }

    boolean isOverwriting() {
        return !fanout.options().flowControl();
    }

    CreditWord word() {
        return word;
    }

    /** For messages to people. */
    String describe() {
        return "subscription of " + endpoint.peer() + " to buffer " + fanout.bufferId();
    }

    long released() {
        return progress.released();
    }

    /** Bytes from here to where the owner must have all subscriptions to go on; not positive when it can. */
    long lengthInTheWay() {
        return fanout.isEnded() ? 0 : fanout.wanted() - progress.released();
    }

    /** Bytes of local deliveries not yet sent. */
    long pendingLength() {
        return fanout.log().visibleEnd() - progress.released();
    }

    Sender sender() {
        return sender;
    }

    /** Log position up to which the peer is known to have consumed. */
    long consumed() {
        return progress.consumed();
    }

    FlushRequest flush() {
        return flush;
    }

    /** Asks the peer for a credit update when it has consumed everything before {@code target}. */
    void requestFlush(long target) {
        flush.raise(target);
        sender.wake(this);
    }

    /** The peer says that it has consumed what it cannot have consumed. */
    TransportException wrongClaim(long position) {
        return new TransportException(
                TransportException.Code.PROTOCOL,
                endpoint.peer() + " claims to have consumed up to " + position + " of " + describe());
    }

    /**
     * A credit update arrived. Worker only.
     *
     * @return false when the position is not the peer's to claim
     */
    boolean onCredit(long position) {
        if (!credit.onUpdate(position)) {
            return false;
        }
        fanout.onConsumed();
        sender.unpark(this);
        if (flush.isPending(consumed())) {
            sender.signal(this);
        }
        sender.flush();
        return true;
    }

    /** The peer wants no more. Worker only. */
    void onUnsubscribe() {
        word.takeBack();
        ending.unsubscribed(true);
        sender.wake(this);
    }

    /** The connection closes: what is delivered by now is sent, then END. Worker only. */
    void onLastOrders() {
        ending.lastOrders(fanout.log().visibleEnd());
        sender.wake(this);
    }

    /** The connection is gone; what was not sent counts as lost. Worker only. */
    long cut() {
        word.takeBack();
        long undelivered = ending.isSilent() ? 0 : pendingLength();
        ending.silence(undelivered, null);
        fanout.remove(this, false);
        return undelivered;
    }

    /** Watches for a peer that is too slow. Worker only. */
    void tick(long elapsedMs) {
        holding.look(elapsedMs);
        if (!ending.isSilent() && fanout.options().flowControl()) {
            word.look();
            slowness.look(elapsedMs, credit.progress(), released(), fanout.log().visibleEnd());
        }
    }

    /** Disconnects a peer under {@link SlowPolicy#DISCONNECT} that lags by too many bytes. */
    void checkLag() {
        slowness.checkLag(pendingLength());
    }

    Ending ending() {
        return ending;
    }

    int bufferId() {
        return fanout.bufferId();
    }

    SubscriptionState state() {
        return new SubscriptionState(
                bufferId(),
                endpoint.peer(),
                policy,
                credit.sentPosition(),
                pendingLength(),
                skipping.lostLength(),
                transferCount,
                starvedCount);
    }

    /**
     * Makes this subscription stand at {@code position} at least, by leaving out what lies before.
     *
     * @return false when another thread sends for it just now, or its memory cannot be taken back
     */
    boolean skipTo(long position) {
        return active && skipping.to(position);
    }

    /**
     * The owner cannot go on before this subscription has passed {@code position}. It goes on at the end, if it cannot
     * send what lies before just now; else that is sent.
     *
     * @return true when it has passed it
     */
    boolean giveWay(long position) {
        return skipping.giveWay(position);
    }

    // Under the token.

    /** True when it waits for more credit than it has. */
    boolean isStarved() {
        word.look();
        return credit.available() < parkedFor;
    }

    private void onReleased() {
        fanout.onReleased(this);
        if (ending.isSilent() && !progress.hold().isInFlight()) {
            depart();
        }
    }

    LocalHold hold() {
        return progress.hold();
    }

    @Override
    boolean isReady() {
        return ending.isUnsubscribed() || !ending.isSilent() && (skipping.isDue() || wantsFlush() || canGoOn());
    }

    private boolean canGoOn() {
        if (!progress.hasMore(lastPosition())) {
            return isLast();
        }
        // Whoever has asked looks once more: what was written before the peer knew of that wakes nobody.
        word.look();
        // What the peer was asked for may have been answered in part while this was being put to rest.
        return credit.available() >= parkedFor || credit.mustAsk(parkedFor);
    }

    /** Only between transfers, for the peer consumes whole ones. */
    private boolean wantsFlush() {
        return progress.isBetweenTransfers()
                && flush.isPending(consumed())
                && flush.isDue(progress.position(), credit.updateCount());
    }

    @Override
    Outcome take(Sender sender) {
        parkedFor = 0;
        if (ending.isUnsubscribed()) {
            return leave();
        }
        if (ending.isSilent()) {
            return Outcome.IDLE;
        }
        word.look();
        if (!skipping.serve(tag, credit)) {
            return Outcome.BLOCKED;
        }
        if (wantsFlush() && !flush.ask(sender, tag, credit)) {
            return Outcome.BLOCKED;
        }
        if (progress.isBetweenTransfers() && !planTransfer()) {
            return isLast() ? end() : Outcome.IDLE;
        }
        if (!progress.hasBegunTransfer() && sender.hasControl()) {
            // It may have been sent before the newest of these deliveries; then it has to arrive before it.
            progress.planAnew();
            return Outcome.AGAIN;
        }
        if (progress.transferLength() > remote.capacity()) {
            return fail("a delivery of " + progress.transferLength() + " bytes exceeds the subscriber's capacity="
                    + remote.capacity());
        }
        long needed = neededLength();
        return credit.available() >= needed ? write(needed) : starve(needed);
    }

    /** Log position after which nothing is sent. */
    private long lastPosition() {
        return Math.min(ending.lastOrders(), fanout.endPosition());
    }

    private boolean isLast() {
        return fanout.isEnded() || ending.lastOrders() != Long.MAX_VALUE;
    }

    private boolean planTransfer() {
        return progress.position() < lastPosition()
                && progress.planTransfer(
                        Math.min(coalesceLimit, credit.available()),
                        fanout.options().coalescing());
    }

    /** Bytes of the next write, as far as it is known before gathering. */
    private long neededLength() {
        Capabilities capabilities = sender.connection().capabilities();
        long untilEnd = capabilities.receiverPlaces() ? Long.MAX_VALUE : remote.capacity() - credit.offset();
        return Math.min(untilEnd, Math.min(capabilities.longestWrite(), progress.transferEnd() - progress.position()));
    }

    private Outcome write(long wanted) {
        WriteRequest request = sender.request();
        request.set(fanout.memory().region(), remote, credit.offset(), ImmediateLayout.data(tag, true));
        long length = progress.gather(wanted, fanout.memory(), request.vecs());
        long end = progress.position() + length;
        request.immediate(ImmediateLayout.data(tag, end < progress.transferEnd()));
        credit.claim(length);
        PostResult result = sender.post();
        if (result == PostResult.NO_WINDOW && skipping.mustGiveWay()) {
            skipping.toEnd();
            return Outcome.BLOCKED;
        }
        if (result == PostResult.NO_WINDOW || result == PostResult.CLOSED) {
            progress.planAnew();
            return Outcome.BLOCKED;
        }
        progress.sent(length);
        if (end == progress.transferEnd()) {
            transferCount++;
        }
        // Last, for whoever is told that the memory is free may reuse it, and the log's records too.
        sender.posted(this, end, result);
        if (result == PostResult.POSTED && skipping.mustGiveWay()) {
            sender.withdraw();
        }
        return Outcome.AGAIN;
    }

    private Outcome starve(long needed) {
        if (skipping.mustGiveWay()) {
            skipping.toEnd();
            return Outcome.AGAIN;
        }
        starvedCount++;
        // First of all: what is planned may be taken back before this has been said.
        progress.planAnew();
        long updates = credit.updateCount();
        if (credit.mustAsk(needed)) {
            long wanted = credit.wantedPosition(needed);
            if (!sender.send(ControlType.STARVING, tag, wanted)) {
                return Outcome.BLOCKED;
            }
            credit.asked(wanted, updates);
        }
        parkedFor = needed;
        return Outcome.PARKED;
    }

    private Outcome end() {
        if (!sender.send(ControlType.END, tag, credit.sentPosition())) {
            return Outcome.BLOCKED;
        }
        goSilent(null);
        return Outcome.IDLE;
    }

    /** The peer is told why and answers with UNSUBSCRIBE. */
    private Outcome fail(String reason) {
        endpoint.controls().subscriptionFailed(tag, reason);
        goSilent(reason);
        return Outcome.IDLE;
    }

    private void goSilent(String reason) {
        ending.silence(fanout.log().visibleEnd() - progress.position(), reason);
        if (!progress.hold().isInFlight()) {
            depart();
        }
    }

    /** Nothing of the buffer's memory is used any more. */
    private void depart() {
        fanout.remove(this, ending.isTagFree());
        endpoint.subscriptionEnded(this);
    }

    private Outcome leave() {
        // First, for the peer may use the tag anew as soon as it reads this.
        ending.freeTag();
        if (!sender.send(ControlType.UNSUBSCRIBED, tag, credit.sentPosition())) {
            return Outcome.BLOCKED;
        }
        ending.unsubscribed(false);
        goSilent(null);
        return Outcome.IDLE;
    }
}
