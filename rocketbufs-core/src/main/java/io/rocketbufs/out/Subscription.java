package io.rocketbufs.out;

import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.link.Link;
import io.rocketbufs.link.SendTask;
import io.rocketbufs.link.Sender;
import io.rocketbufs.metrics.SubscriptionState;
import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.WriteRequest;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.ImmediateLayout;
import java.nio.ByteBuffer;

/**
 * The subscription of one remote RIn to one buffer. It decides which data is sent next. Its {@link StreamPosition}
 * stores its position, its {@link Credit} limits the amount of data sent, its {@link SlowRule} applies when it is slow,
 * and its {@link SubscriptionLife} determines whether it may send.
 *
 * <p><b>Thread-safety:</b> data is sent under the connection's token, and credit updates arrive on the connection's
 * worker. Any thread may read {@code released}, {@code consumed} and the counters. <b>Source:</b> RocketBufs 3.2, 3.3.
 */
public final class Subscription extends SendTask implements Reader {
    /** A request to end, because the peer has unsubscribed. */
    private static final int UNSUBSCRIBE = FIRST_REQUEST;
    /** A request to check for work again, because a state that {@link #take} checks has changed. */
    private static final int LOOK = FIRST_REQUEST << 1;
    /** A request to notify the peer if data waits for credit, because the peer cannot detect this. */
    private static final int ASK = FIRST_REQUEST << 2;

    private final Fanout fanout;
    private final DeliveryLog log;
    private final Link link;
    private final Sender sender;
    private final int tag;
    private final RemoteBuffer remote;
    private final long window;
    private final SubscriptionTerms terms;
    private final boolean limited;
    private final Credit credit;
    private final CreditWord word;
    private final long coalesceLimit;
    private final SlowRule rule;
    private final SubscriptionMeters meters;
    private final FlushRequest flush = new FlushRequest();
    private final StreamPosition stream;
    private final SubscriptionLife life = new SubscriptionLife();
    private final CreditShare share;
    /** True if the application has requested that this subscription skip to the end. */
    private volatile boolean skipWanted;

    /** Number of bytes of credit to wait for; 0 if not waiting. Accessed under the token, as is pending. */
    private long parkedFor;

    private int pending;

    Subscription(Fanout fanout, Link link, SubscriptionTerms terms) {
        this.fanout = fanout;
        this.log = fanout.log();
        this.link = link;
        this.sender = link.sender();
        this.tag = terms.tag();
        this.remote = terms.remote();
        this.terms = terms;
        this.limited = fanout.options().flowControl() || terms.flowControl();
        this.meters = new SubscriptionMeters(fanout.options().policyFor(terms.policy()));
        this.coalesceLimit = terms.coalesceLimit(fanout.limits());
        LentWord lent = CreditWord.lend(link, limited);
        this.window = terms.window();
        this.credit = new Credit(remote.capacity(), window, limited, coalesceLimit, lent != null);
        this.word = new CreditWord(lent, credit, this::onConsumed, position -> link.fail(wrongClaim(position)));
        this.stream = new StreamPosition(log, credit, meters, this::onReleased, this::onConsumed);
        this.share = new CreditShare(
                link.credit(), flush, this::passed, () -> fanout.owner().onReleased(Long.MAX_VALUE));
        this.rule = SlowRule.of(this, fanout, meters.policy(), terms.writeTimeoutMs());
    }

    /** Allows this subscription to send. Called on the worker, after it has been added to the fanout. */
    public void activate() {
        life.activate();
        sender.start(this);
        fanout.onActivated(this);
        if (life.isSuperseded()) {
            // The end of this subscription was requested before it was live.
            sender.relieve(this);
        }
    }

    // Any thread.

    Link link() {
        return link;
    }

    /** Returns the peer's tag for this subscription. */
    public int tag() {
        return tag;
    }

    public int bufferId() {
        return fanout.bufferId();
    }

    /** Returns the message that accepts the peer's request. */
    public ByteBuffer subscribed(int correlationId) {
        boolean lossy = !fanout.options().flowControl();
        return ControlMessages.subscribed(
                tag, !limited, lossy, word.access(), stream.start(), stream.live(), correlationId);
    }

    @Override
    public long coalesceLimit() {
        return coalesceLimit;
    }

    Credit credit() {
        return credit;
    }

    CreditShare share() {
        return share;
    }

    CreditWord word() {
        return word;
    }

    StreamPosition stream() {
        return stream;
    }

    String describe() {
        return "subscription of " + link.peer() + " to buffer " + fanout.bufferId();
    }

    void disconnect(String why) {
        link.disconnect(describe() + why);
    }

    @Override
    public long released() {
        return stream.released();
    }

    @Override
    public long consumed() {
        return stream.consumed();
    }

    @Override
    public boolean isSuperseded() {
        return life.isSuperseded();
    }

    /** Returns true if the producer needs memory that this subscription uses. */
    boolean isInTheWay() {
        return !fanout.isEnded() && released() < fanout.demand().position();
    }

    /** Returns the number of locally delivered bytes not yet sent. */
    long pendingLength() {
        return log.visibleEnd() - released();
    }

    /** Returns the state of this subscription: whether it sends, and how it ended. */
    public SubscriptionLife life() {
        return life;
    }

    public SubscriptionState state() {
        return meters.state(bufferId(), link.peer(), credit.sentPosition(), pendingLength());
    }

    SubscriptionMeters meters() {
        return meters;
    }

    Fanout fanout() {
        return fanout;
    }

    FlushRequest flush() {
        return flush;
    }

    long identity() {
        return terms.identity();
    }

    /** Makes the sender check this subscription for work again, because pending data has changed. */
    void look() {
        sender.request(this, LOOK);
    }

    @Override
    public boolean yields() {
        return rule.yields();
    }

    @Override
    public void spaceWanted() {
        rule.spaceWanted();
    }

    /** Skips everything before the end, regardless of the policy. */
    void requestSkip() {
        skipWanted = true;
        sender.relieve(this);
    }

    // The connection's worker.

    /** Called when a credit update arrives; fails with code PROTOCOL if the peer cannot have consumed that much. */
    public void onCredit(long position) {
        if (!credit.onUpdate(position)) {
            throw wrongClaim(position);
        }
        onConsumed();
        sender.unpark(this);
        if (flush.isPending(consumed())) {
            sender.signal(this);
        }
        sender.sendReady();
    }

    private void onConsumed() {
        if (share.isActive() && share.settle()) {
            look();
        }
        fanout.onConsumed();
    }

    private long passed() {
        return rule.yields() ? released() : consumed();
    }

    private TransportException wrongClaim(long position) {
        return new TransportException(
                TransportException.Code.PROTOCOL,
                link.peer() + " claimed to have consumed up to " + position + " of " + describe());
    }

    /** Called when the peer has unsubscribed. */
    public void onUnsubscribe() {
        word.takeBack();
        life.ask();
        sender.request(this, UNSUBSCRIBE);
    }

    /** Makes this subscription send the data delivered so far and then END, because the connection is closing. */
    public void onClosing() {
        life.close(log.visibleEnd());
        sender.request(this, LOOK);
    }

    /** Called when the connection has ended, with the token held permanently; unsent data counts as lost. */
    public void cut() {
        word.takeBack();
        life.silence(pendingLength(), null, life.isAsked());
        fanout.remove(this, life.hasLeft());
    }

    /** Checks whether the peer is too slow. */
    public void tick(long elapsedMs) {
        if (!life.isSilent()) {
            word.look();
        }
        if (isParked() && fanout.options().flowControl()) {
            sender.request(this, ASK);
        }
        if (share.isActive() && share.tick()) {
            look();
        }
        rule.tick(elapsedMs);
    }

    // Under the token.

    @Override
    protected boolean relieve() {
        if (life.isSuperseded()) {
            endSuperseded();
            return true;
        }
        if (skipWanted) {
            // A joining subscription skips nothing: it is at the end, or at the position where data is kept for it.
            skipWanted = false;
            skipToEnd();
        }
        return rule.relieve();
    }

    private void endSuperseded() {
        sender.withdraw();
        if (life.isLive()) {
            fail("superseded by another subscription with the same identity");
        } else if (life.isSilent() && !stream.isInFlight()) {
            depart();
        }
    }

    /** Returns true if nothing can be sent until the transport accepts a write or the peer grants credit. */
    boolean isStuck() {
        word.look();
        return life.isLive() && (sender.isBlocked() || isParked() && credit.available() < parkedFor);
    }

    /** Withdraws writes in flight and makes this subscription ready to send; returns false while data is pending. */
    boolean sendOrWithdraw() {
        if (stream.isInFlight()) {
            sender.withdraw();
        }
        sender.unpark(this);
        return !life.isLive() || !stream.hasMore(Long.MAX_VALUE);
    }

    void skipToEnd() {
        skipTo(Math.min(log.visibleEnd(), fanout.endPosition()));
    }

    /**
     * Skips everything before a log position. Memory used by committed writes becomes free immediately if the transport
     * can withdraw them; otherwise, it becomes free when they have completed.
     */
    void skipTo(long position) {
        if (!life.isLive()) {
            sendOrWithdraw();
            return;
        }
        if (position > released() && stream.isInFlight()) {
            sender.withdraw();
        }
        stream.leaveOut(position);
        sender.unpark(this);
        sender.signal(this);
    }

    private void onReleased() {
        fanout.onReleased(this);
        if (life.isSilent() && !stream.isInFlight()) {
            depart();
        }
    }

    @Override
    protected boolean hasWork() {
        boolean gap = stream.isBetweenTransfers() && stream.isBehindGap();
        return (pending & UNSUBSCRIBE) != 0 || life.isLive() && (gap || flush.isDue(stream, credit) || canGoOn());
    }

    private boolean canGoOn() {
        if (!stream.hasMore(lastPosition())) {
            return isLast();
        }
        // Read again after asking: a position that was written before the peer received the request wakes no thread.
        word.look();
        // A request to the peer may have been answered in part while this task was being parked.
        return credit.available() >= parkedFor || credit.mustAsk(parkedFor);
    }

    /** Returns the log position after which nothing is sent. */
    private long lastPosition() {
        return Math.min(life.closingAt(), fanout.endPosition());
    }

    private boolean isLast() {
        return fanout.isEnded() || life.closingAt() != Long.MAX_VALUE;
    }

    @Override
    protected Outcome take(int requests) {
        pending |= requests & UNSUBSCRIBE;
        parkedFor = 0;
        if (pending != 0) {
            return leave();
        }
        if (!life.isLive()) {
            return Outcome.IDLE;
        }
        word.look();
        if (!stream.tellGap(sender, tag) || flush.isDue(stream, credit) && !flush.ask(sender, tag, credit, stream)) {
            return Outcome.BLOCKED;
        }
        // Read before checking for data: a delivery and the end may be added after that check finds no data.
        boolean last = isLast();
        if (stream.isBetweenTransfers() && !planTransfer()) {
            return stream.isBehindGap() ? Outcome.AGAIN : last ? end() : Outcome.IDLE;
        }
        if (!stream.hasBegunTransfer() && (sender.hasControl() || stream.isBehindGap())) {
            // Control messages and gaps are sent first, because a message may precede the newest of these deliveries
            // and a gap precedes all of them.
            stream.replan();
            return Outcome.AGAIN;
        }
        long transferLength = credit.transferSent() + stream.remaining();
        if (transferLength > window) {
            return fail("a delivery of " + transferLength + " bytes into buffer " + bufferId()
                    + " exceeds the subscriber's capacity=" + window + "; subscribe with a larger capacity");
        }
        long needed = stream.nextLength(link.capabilities(), remote.capacity());
        return credit.available() >= needed ? write(needed) : starve(needed, (requests & ASK) != 0);
    }

    /** Plans a transfer, within the available credit if possible; returns false if there is nothing to send. */
    private boolean planTransfer() {
        long limit = Math.min(coalesceLimit, credit.available());
        return stream.position() < lastPosition()
                && stream.planTransfer(limit, fanout.options().coalescing());
    }

    private Outcome write(long wanted) {
        WriteRequest request = sender.request();
        request.set(fanout.memory().region(), remote, credit.offset(), ImmediateLayout.data(tag, true));
        long length = stream.gather(wanted, fanout.memory(), request.vecs());
        long end = stream.position() + length;
        boolean more = length < stream.remaining();
        request.immediate(ImmediateLayout.data(tag, more));
        credit.claim(length);
        PostResult result = sender.post();
        if (result == PostResult.NO_WINDOW && rule.giveWay()) {
            return Outcome.BLOCKED;
        }
        if (result == PostResult.NO_WINDOW || result == PostResult.CLOSED) {
            stream.replan();
            return Outcome.BLOCKED;
        }
        stream.sent(length);
        meters.sent(more);
        // Called last: a producer that finds memory free may reuse it and the log's records.
        sender.posted(stream.memory(), end, result);
        if (result == PostResult.POSTED && rule.yields() && isInTheWay()) {
            sender.withdraw();
        }
        return Outcome.AGAIN;
    }

    private Outcome starve(long needed, boolean asking) {
        if (rule.giveWay()) {
            return Outcome.AGAIN;
        }
        meters.starved(asking);
        // The plan is dropped first, because its deliveries may change before this message has been sent.
        stream.replan();
        if (!credit.ask(sender, tag, needed, asking)) {
            return Outcome.BLOCKED;
        }
        parkedFor = needed;
        return Outcome.PARKED;
    }

    private boolean send(ControlType type, long position) {
        return sender.send(ControlMessages.position(sender.scratch(), type, tag, position));
    }

    private Outcome end() {
        boolean asked = life.isAsked(); // read first: an UNSUBSCRIBE that arrives later may be the answer to END
        if (!send(ControlType.END, credit.sentPosition())) {
            return Outcome.BLOCKED;
        }
        goSilent(null, asked);
        return Outcome.IDLE;
    }

    /** Ends this subscription with a reason; the peer answers with UNSUBSCRIBE. */
    private Outcome fail(String why) {
        link.answer(ControlMessages.subscriptionFailed(tag, why));
        goSilent(why, life.isAsked());
        return Outcome.IDLE;
    }

    private Outcome leave() {
        // The tag is freed first: the peer may use it for another subscription as soon as it reads this message.
        life.freeTag();
        if (!send(ControlType.UNSUBSCRIBED, credit.sentPosition())) {
            return Outcome.BLOCKED;
        }
        pending = 0;
        goSilent(null, true);
        return Outcome.IDLE;
    }

    private void goSilent(String why, boolean asked) {
        life.silence(log.visibleEnd() - stream.position(), why, asked);
        if (!stream.isInFlight()) {
            depart();
        }
    }

    /** Called when this subscription no longer uses the buffer's memory. */
    private void depart() {
        life.depart();
        if (!fanout.options().resume() || !life.mayReport()) {
            fanout.remove(this, life.hasLeft());
        }
        terms.onEnded().run();
    }
}
