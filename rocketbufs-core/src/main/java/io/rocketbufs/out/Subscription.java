package io.rocketbufs.out;

import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.link.Link;
import io.rocketbufs.link.SendTask;
import io.rocketbufs.link.Sender;
import io.rocketbufs.metrics.SubscriptionState;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.WriteRequest;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.ImmediateLayout;

/**
 * One remote RIn's interest in one buffer: where it stands in the buffer's log and in the stream to its peer, what it
 * may still be sent, and the transfer under way.
 *
 * <p>The log position counts the buffer's deliveries; the stream position, which {@link Credit} knows, counts the bytes
 * written to the remote buffer since the subscription began, so it gives the offset there. They move together except
 * where data is left out: {@link LeftOut} keeps the difference.
 *
 * <pre>
 *              activate            END, UNSUBSCRIBED or
 *                                SUBSCRIPTION_FAILED sent      last write completed
 *   JOINING ------------&gt; LIVE -----------------------&gt; SILENT ---------------------&gt; GONE
 *                           |                             ^
 *                           +------ connection lost ------+
 * </pre>
 *
 * A silent or gone subscription still answers its peer's UNSUBSCRIBE, which makes the tag free.
 *
 * <p><b>Thread-safety:</b> sends under the connection's token; {@code released}, {@code consumed} and the counters are
 * read by any thread; credit updates come on the connection's worker. <b>Source:</b> RocketBufs 3.2, 3.3.
 */
public final class Subscription extends SendTask {
    /** The peer wants no more. */
    private static final int UNSUBSCRIBE = FIRST_REQUEST;
    /** Something has changed that {@link #take} looks at by itself. */
    private static final int LOOK = FIRST_REQUEST << 1;

    private enum Life {
        JOINING,
        LIVE,
        SILENT,
        GONE
    }

    private final Fanout fanout;
    private final DeliveryLog log;
    private final Subscriber subscriber;
    private final Link link;
    private final Sender sender;
    private final int tag;
    private final RemoteBuffer remote;
    private final boolean limited;
    private final Credit credit;
    private final CreditWord word;
    private final long coalesceLimit;
    private final SlowPolicy policy;
    private final SlowRule rule;
    private final FlushRequest flush = new FlushRequest();
    private final LeftOut leftOut = new LeftOut();
    private final ReleasedMemory memory;

    private volatile Life life = Life.JOINING;
    private volatile boolean tagFree;
    /** Log position after which nothing is sent, because the connection closes. */
    private volatile long closingAt = Long.MAX_VALUE;
    /** The application wants this subscription to go on at the end. */
    private volatile boolean skipWanted;

    // Under the token.
    private final DeliveryLog.Cursor cursor = new DeliveryLog.Cursor();
    /** Log position where the transfer under way ends; not beyond the cursor when there is none. */
    private long transferEnd;
    /** Bytes of credit that this subscription waits for; 0 when it does not. */
    private long parkedFor;
    /** Requests that are not served yet. */
    private int pending;
    /** Bytes left out that the peer has not been told of. */
    private long untold;
    /** Bytes lost upstream that are counted in {@link #untold} or told. */
    private long gapsSeen;

    private volatile long undelivered;
    private volatile String reason;

    // For metrics only, which may see them late.
    private volatile long lostLength;
    private long transferCount;
    private long starvedCount;

    Subscription(Fanout fanout, Subscriber subscriber, SubscriptionTerms terms) {
        this.fanout = fanout;
        this.log = fanout.log();
        this.subscriber = subscriber;
        this.link = subscriber.link();
        this.sender = link.sender();
        this.tag = terms.tag();
        this.remote = terms.remote();
        this.limited = fanout.options().flowControl() || Boolean.TRUE.equals(terms.flowControl());
        this.policy = fanout.policyFor(terms.policy());
        this.coalesceLimit = coalesceLimit(fanout, terms);
        this.word = CreditWord.lentTo(this, limited);
        this.credit = new Credit(remote.capacity(), limited, coalesceLimit, word.isLent());
        this.memory = new ReleasedMemory(this::onReleased);
        this.rule = SlowRule.of(this, fanout, policy, subscriber.writeTimeoutMs());
    }

    /** A limit so low that the log would run out of records would be at the cost of all others. */
    private static long coalesceLimit(Fanout fanout, SubscriptionTerms terms) {
        long quarter = Math.max(1, terms.remote().capacity() / 4);
        long stated = Math.max(terms.transferLimit(), fanout.leastMergeLimit());
        return Math.min(fanout.coalesceLimit(), Math.min(quarter, stated));
    }

    // Entering, by the worker, before the task can be taken.

    /**
     * Puts this subscription where data was kept for it, or at the end of the log.
     *
     * @param from log position from which on data was kept; {@link Long#MAX_VALUE} for none
     * @param position the first that is still kept; {@link Long#MAX_VALUE} for none
     * @param gapsBefore bytes lost upstream before {@code from}
     */
    void join(long from, long position, long gapsBefore) {
        if (position == Long.MAX_VALUE) {
            log.seekEnd(cursor);
        } else {
            log.seek(cursor, position);
        }
        transferEnd = cursor.position();
        memory.begin(cursor.position());
        leftOut.set(cursor.position(), credit);
        gapsSeen = from == Long.MAX_VALUE ? log.gapsBefore(cursor.position()) : gapsBefore;
        untold = Math.max(0, cursor.position() - from);
    }

    /** Lets this subscription send from now on. */
    public void activate() {
        life = Life.LIVE;
        sender.start(this);
    }

    // Any thread.

    Link link() {
        return link;
    }

    /** Returns the peer's name for this subscription. */
    public int tag() {
        return tag;
    }

    /** Returns the id of the buffer. */
    public int bufferId() {
        return fanout.bufferId();
    }

    /** Returns true when writes do not wait for the peer's credit. */
    public boolean isOverwriting() {
        return !limited;
    }

    /** Returns true when the producer does not wait for this subscription, so that it may miss data. */
    public boolean isLossy() {
        return !fanout.options().flowControl();
    }

    /** Returns where the peer may write the position up to which it has consumed; NONE when it must send messages. */
    public RemoteAccess creditWord() {
        return word.access();
    }

    long coalesceLimit() {
        return coalesceLimit;
    }

    Credit credit() {
        return credit;
    }

    void onConsumed() {
        fanout.onConsumed();
    }

    /** Looks for credit that the peer has written without a message. */
    void lookForCredit() {
        word.look();
    }

    String describe() {
        return "subscription of " + link.peer() + " to buffer " + fanout.bufferId();
    }

    void disconnect(String why) {
        link.disconnect(describe() + why);
    }

    /** Returns the log position before which this subscription uses no memory. */
    public long released() {
        return memory.position();
    }

    /** Returns the log position up to which the peer is known to have consumed. */
    long consumed() {
        return leftOut.consumed(credit.consumedPosition());
    }

    /** Returns true when the producer needs memory that this subscription uses. */
    boolean isInTheWay() {
        return !fanout.isEnded() && memory.position() < fanout.wanted();
    }

    /** Returns the bytes of local deliveries not yet sent. */
    long pendingLength() {
        return log.visibleEnd() - memory.position();
    }

    /** Returns a number that changes whenever either side gets on. */
    long activity() {
        return credit.activity();
    }

    boolean withdraws() {
        return link.capabilities().withdraws();
    }

    private boolean isLive() {
        return life.compareTo(Life.LIVE) <= 0;
    }

    /** Returns true when nothing more is sent. */
    public boolean isSilent() {
        return !isLive();
    }

    /** Returns true when the peer may use the tag for another subscription. */
    public boolean isTagFree() {
        return tagFree;
    }

    /** Returns the bytes that were not sent before the end. */
    public long undelivered() {
        return undelivered;
    }

    /** Returns why this subscription ended; null for an orderly end. */
    public String reason() {
        return reason;
    }

    /** Returns the numbers of this moment. */
    public SubscriptionState state() {
        return new SubscriptionState(
                bufferId(),
                link.peer(),
                policy,
                credit.sentPosition(),
                pendingLength(),
                lostLength,
                transferCount,
                starvedCount);
    }

    /** Asks the peer for a credit update when it has consumed everything before {@code target}. */
    void requestFlush(long target) {
        flush.raise(target);
        sender.request(this, LOOK);
    }

    /** Remembers a flush that was asked for before this subscription was active. */
    void joinFlush(long target) {
        flush.raise(target);
    }

    /** Looks once more at what is to be sent: what is pending has changed. */
    void look() {
        sender.request(this, LOOK);
    }

    /** Applies the slow rule: the producer needs memory that this subscription uses. */
    void spaceWanted() {
        rule.spaceWanted();
    }

    /** Leaves out everything before the end, whatever the policy. */
    void requestSkip() {
        skipWanted = true;
        sender.relieve(this);
    }

    void requestRelief() {
        sender.relieve(this);
    }

    // The connection's worker.

    /**
     * Notes a credit update.
     *
     * @throws TransportException with code PROTOCOL when the position is not the peer's to claim
     */
    public void onCredit(long position) {
        if (!credit.onUpdate(position)) {
            throw wrongClaim(position);
        }
        fanout.onConsumed();
        sender.unpark(this);
        if (flush.isPending(consumed())) {
            sender.signal(this);
        }
        sender.sendReady();
    }

    /** Makes the error for a peer that says that it has consumed what it cannot have consumed. */
    TransportException wrongClaim(long position) {
        return new TransportException(
                TransportException.Code.PROTOCOL,
                link.peer() + " claims to have consumed up to " + position + " of " + describe());
    }

    /** Notes that the peer wants no more. */
    public void onUnsubscribe() {
        word.takeBack();
        sender.request(this, UNSUBSCRIBE);
    }

    /** Sends what is delivered by now, then END, because the connection closes. */
    public void onClosing() {
        closingAt = log.visibleEnd();
        sender.request(this, LOOK);
    }

    /** Notes that the connection is gone, with the token held for good; what was not sent counts as lost. */
    public void cut() {
        word.takeBack();
        if (isLive()) {
            undelivered = pendingLength();
            life = Life.SILENT;
        }
        fanout.remove(this, false);
    }

    /** Watches for a peer that is too slow. */
    public void tick(long elapsedMs) {
        if (isLive()) {
            word.look();
        }
        rule.tick(elapsedMs);
    }

    // Under the token.

    @Override
    protected boolean relieve() {
        if (skipWanted && life == Life.LIVE) {
            skipWanted = false;
            skipToEnd();
        }
        return rule.relieve();
    }

    /** Returns true when nothing can be sent before the transport or the peer gives way. */
    boolean isStuck() {
        return life == Life.LIVE && sender.isBlocked() || isParked() && isStarved();
    }

    private boolean isStarved() {
        word.look();
        return credit.available() < parkedFor;
    }

    boolean isInFlight() {
        return memory.isInFlight();
    }

    /** Frees memory in flight, and sends what can be sent; returns false while there is something to be sent. */
    boolean sendOrWithdraw() {
        if (memory.isInFlight()) {
            sender.withdraw();
        }
        sender.unpark(this);
        return life != Life.LIVE || !log.hasMore(cursor);
    }

    void skipToEnd() {
        skipTo(log.visibleEnd());
    }

    /**
     * Leaves out everything before a log position. Memory that committed writes use is free at once where the transport
     * can withdraw them, otherwise when they have completed.
     */
    void skipTo(long position) {
        if (life != Life.LIVE) {
            sendOrWithdraw();
            return;
        }
        if (position > memory.position() && memory.isInFlight()) {
            sender.withdraw();
        }
        leaveOut(position);
        sender.unpark(this);
        sender.signal(this);
    }

    private void leaveOut(long target) {
        if (target <= cursor.position()) {
            return;
        }
        long boundary = target;
        if (hasBegunTransfer() && !isBetweenTransfers()) {
            // The peer drops what it has of the unfinished transfer when it reads the GAP.
            boundary = Math.max(boundary, transferEnd);
            untold += credit.dropTransfer();
        }
        untold += boundary - cursor.position();
        log.markLost(cursor.position(), boundary);
        log.seek(cursor, boundary);
        transferEnd = boundary;
        noteUpstreamGaps();
        notePassed();
    }

    /** What was lost before it came into the log is missing here too. */
    private void noteUpstreamGaps() {
        long gaps = log.gapsBefore(cursor.position());
        untold += gaps - gapsSeen;
        gapsSeen = gaps;
    }

    /** The cursor may stand behind something that is not sent: the log moves it past what is discarded. */
    private void notePassed() {
        memory.pass(cursor.position());
        if (leftOut.set(cursor.position() - credit.sentPosition(), credit)) {
            fanout.onConsumed();
        }
    }

    private void onReleased() {
        fanout.onReleased(this);
        if (life == Life.SILENT && !memory.isInFlight()) {
            depart();
        }
    }

    private boolean isBetweenTransfers() {
        return transferEnd <= cursor.position();
    }

    /** Returns true when a part of the transfer under way has been written. */
    private boolean hasBegunTransfer() {
        return credit.transferSent() > 0;
    }

    @Override
    protected boolean hasWork() {
        return (pending & UNSUBSCRIBE) != 0
                || life == Life.LIVE && (untold > 0 || hasUpstreamGap() || wantsFlush() || canGoOn());
    }

    private boolean hasUpstreamGap() {
        return isBetweenTransfers() && log.gapsBefore(cursor.position()) != gapsSeen;
    }

    private boolean canGoOn() {
        boolean more = cursor.position() < lastPosition() && log.hasMore(cursor);
        notePassed();
        if (!more) {
            return isLast();
        }
        // Having asked, this looks once more: what was written before the peer knew of that wakes no thread.
        word.look();
        // What the peer was asked for may have been answered in part while this was being put to rest.
        return credit.available() >= parkedFor || credit.mustAsk(parkedFor);
    }

    /** Only between transfers, for the peer consumes whole ones. */
    private boolean wantsFlush() {
        return isBetweenTransfers()
                && flush.isPending(consumed())
                && flush.isDue(cursor.position(), credit.updateCount());
    }

    /** Log position after which nothing is sent. */
    private long lastPosition() {
        return Math.min(closingAt, fanout.endPosition());
    }

    private boolean isLast() {
        return fanout.isEnded() || closingAt != Long.MAX_VALUE;
    }

    @Override
    protected Outcome take(int requests) {
        pending |= requests & UNSUBSCRIBE;
        parkedFor = 0;
        if (pending != 0) {
            return leave();
        }
        if (life != Life.LIVE) {
            return Outcome.IDLE;
        }
        word.look();
        if (!tellGap() || wantsFlush() && !flush.ask(sender, tag, credit)) {
            return Outcome.BLOCKED;
        }
        if (isBetweenTransfers() && !planTransfer()) {
            return hasUpstreamGap() ? Outcome.AGAIN : isLast() ? end() : Outcome.IDLE;
        }
        if (!hasBegunTransfer() && (sender.hasControl() || log.gapsBefore(cursor.position()) != gapsSeen)) {
            // A control message may have been sent before the newest of these deliveries, and a gap lies before them.
            planAnew();
            return Outcome.AGAIN;
        }
        long transferLength = credit.transferSent() + transferEnd - cursor.position();
        if (transferLength > remote.capacity()) {
            return fail("a delivery of " + transferLength + " bytes exceeds the subscriber's capacity="
                    + remote.capacity());
        }
        long needed = neededLength();
        return credit.available() >= needed ? write(needed) : starve(needed);
    }

    /** Reports what was left out; returns false when the transport takes nothing now. */
    private boolean tellGap() {
        if (isBetweenTransfers()) {
            noteUpstreamGaps();
        }
        if (untold > 0) {
            if (!sender.send(ControlMessages.gap(sender.scratch(), tag, credit.sentPosition(), untold))) {
                return false;
            }
            lostLength += untold;
            untold = 0;
        }
        return true;
    }

    /** Plans a transfer, within the credit if that suffices for a part; returns false when there is nothing to send. */
    private boolean planTransfer() {
        if (cursor.position() >= lastPosition()) {
            return false;
        }
        transferEnd = log.transferEnd(
                cursor,
                Math.min(coalesceLimit, credit.available()),
                fanout.options().coalescing());
        credit.beginTransfer();
        notePassed();
        return transferEnd > cursor.position();
    }

    /** What gathers while a transfer waits to begin travels with it. */
    private void planAnew() {
        if (!hasBegunTransfer()) {
            transferEnd = cursor.position();
        }
    }

    /** Returns the bytes of the next write, as far as they are known before gathering. */
    private long neededLength() {
        Capabilities capabilities = link.capabilities();
        long untilEnd = capabilities.receiverPlaces() ? Long.MAX_VALUE : remote.capacity() - credit.offset();
        return Math.min(untilEnd, Math.min(capabilities.longestWrite(), transferEnd - cursor.position()));
    }

    private Outcome write(long wanted) {
        WriteRequest request = sender.request();
        request.set(fanout.memory().region(), remote, credit.offset(), ImmediateLayout.data(tag, true));
        long length = log.gather(cursor, wanted, fanout.memory(), request.vecs());
        long end = cursor.position() + length;
        request.immediate(ImmediateLayout.data(tag, end < transferEnd));
        credit.claim(length);
        PostResult result = sender.post();
        if (result == PostResult.NO_WINDOW && rule.giveWay()) {
            return Outcome.BLOCKED;
        }
        if (result == PostResult.NO_WINDOW || result == PostResult.CLOSED) {
            planAnew();
            return Outcome.BLOCKED;
        }
        credit.sent(length);
        log.advance(cursor, length);
        if (end == transferEnd) {
            transferCount++;
        }
        // Last: a producer that hears that the memory is free may reuse it, and the log's records too.
        sender.posted(memory, end, result);
        if (result == PostResult.POSTED && rule.yields() && isInTheWay()) {
            sender.withdraw();
        }
        return Outcome.AGAIN;
    }

    private Outcome starve(long needed) {
        if (rule.giveWay()) {
            return Outcome.AGAIN;
        }
        starvedCount++;
        // First: what is planned may be taken back before this has been sent.
        planAnew();
        long updates = credit.updateCount();
        if (credit.mustAsk(needed)) {
            long wanted = credit.wantedPosition(needed);
            if (!send(ControlType.STARVING, wanted)) {
                return Outcome.BLOCKED;
            }
            credit.asked(wanted, updates);
        }
        parkedFor = needed;
        return Outcome.PARKED;
    }

    private boolean send(ControlType type, long position) {
        return sender.send(ControlMessages.position(sender.scratch(), type, tag, position));
    }

    private Outcome end() {
        if (!send(ControlType.END, credit.sentPosition())) {
            return Outcome.BLOCKED;
        }
        goSilent(null);
        return Outcome.IDLE;
    }

    /** The peer is told why and answers with UNSUBSCRIBE. */
    private Outcome fail(String why) {
        link.answer(ControlMessages.subscriptionFailed(tag, why));
        goSilent(why);
        return Outcome.IDLE;
    }

    private Outcome leave() {
        // First, for the peer may use the tag for another subscription as soon as it reads this.
        tagFree = true;
        if (!send(ControlType.UNSUBSCRIBED, credit.sentPosition())) {
            return Outcome.BLOCKED;
        }
        pending = 0;
        goSilent(null);
        return Outcome.IDLE;
    }

    private void goSilent(String why) {
        if (life == Life.LIVE) {
            undelivered = log.visibleEnd() - cursor.position();
            reason = why;
            life = Life.SILENT;
        }
        if (!memory.isInFlight()) {
            depart();
        }
    }

    /** Nothing of the buffer's memory is used any more. */
    private void depart() {
        if (life != Life.GONE) {
            life = Life.GONE;
            fanout.remove(this, tagFree);
        }
        subscriber.onEnded().accept(this);
    }
}
