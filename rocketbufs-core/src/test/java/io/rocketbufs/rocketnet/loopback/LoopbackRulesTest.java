package io.rocketbufs.rocketnet.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.WriteRequest;
import java.nio.ByteBuffer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that violate each rule of the transport interface. */
@Timeout(600)
class LoopbackRulesTest {
    private LoopbackPair pair;
    private LoopbackPeer client;

    @BeforeEach
    void open() {
        pair = new LoopbackPair(LoopbackOptions.oneSided().longestWrite(1000));
        client = pair.client;
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private void assertViolation(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(AssertionError.class).hasMessageContaining(message);
        assertRecorded(message);
    }

    private void assertRecorded(String message) {
        assertThat(pair.network.takeViolations())
                .singleElement()
                .satisfies(violation -> assertThat(violation).hasMessageContaining(message));
    }

    @Test
    void shouldRefuseAWriteThatIsTooLong() {
        assertViolation(() -> client.write(1, 0, 1001), "longestWrite=1000");
    }

    @Test
    void shouldRefuseTooManyVecs() {
        WriteRequest request = client.request(1, 0, 10);
        request.vecs().add(client.sourceBytes, 20, 10, client.source.address() + 20);
        assertViolation(() -> client.write(request), "vecsPerWrite=1");
    }

    @Test
    void shouldRefuseARangeAcrossTheEndOfTheRemoteBuffer() {
        WriteRequest request = client.request(1, LoopbackPeer.CAPACITY - 9, 0);
        request.vecs().add(client.sourceBytes, 0, 10, client.source.address());
        assertViolation(() -> client.write(request), "across the end");
    }

    @Test
    void shouldRefuseARangeOutsideOfItsRegion() {
        WriteRequest request = client.request(1, 0, 0);
        request.vecs().add(client.sourceBytes, 0, 10, client.source.address() - 1);
        assertViolation(() -> client.write(request), "outside its region");
    }

    @Test
    void shouldRefuseARemoteBufferOfAnotherConnection() {
        WriteRequest request = pair.server.request(1, 0, 10);
        assertViolation(() -> client.write(request), "did not make");
    }

    @Test
    void shouldRefuseAControlMessageThatIsTooLong() {
        assertViolation(() -> client.connection().send(ByteBuffer.allocate(1025)), "longestControl=1024");
    }

    @Test
    void shouldRefuseToPostAfterFinish() {
        client.connection().finish();
        assertViolation(() -> client.send("late"), "after finish()");
        assertViolation(() -> client.connection().finish(), "twice");
    }

    @Test
    void shouldRefuseTheSendingSideAfterClose() {
        client.onWorker(client.connection()::close);
        assertViolation(() -> client.send("late"), "after close()");
        assertViolation(() -> client.connection().progress(), "after close()");
    }

    @Test
    void shouldRefuseToCloseOnAnotherThread() {
        assertViolation(client.connection()::close, "close() was called on");
    }

    @Test
    void shouldRefuseToCloseTwice() {
        client.onWorker(client.connection()::close);
        assertThatThrownBy(() -> client.onWorker(client.connection()::close)).hasMessageContaining("twice");
        assertRecorded("twice");
    }

    @Test
    void shouldDetectTwoThreadsOnTheSendingSide() throws InterruptedException {
        Thread first = new Thread(() -> client.connection().send(ByteBuffer.allocate(1)));
        synchronized (pair.link.pipeFrom(pair.link.client())) {
            first.start();
            while (first.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
            assertViolation(() -> client.connection().progress(), "is used by");
        }
        first.join();
    }

    @Test
    void shouldDetectMemoryThatIsReusedBeforeItsCompletion() {
        pair.link.toServer().hold();
        client.write(1, 0, 10);
        client.sourceBytes.put(5, (byte) 99);
        pair.link.toServer().resume();
        pair.awaitQuiet();
        assertRecorded("changed before its completion");
    }

    @Test
    void shouldRefuseToRevokeTwice() {
        pair.server.connection().revoke(pair.server.access());
        assertViolation(() -> pair.server.connection().revoke(pair.server.access()), "not granted here");
    }

    @Test
    void shouldRefuseToTakeAWordBackTwiceOrOnAnotherThread() {
        LentWord word = pair.server.connection().lendWord();
        assertViolation(word::takeBack, "taken back on");
        pair.server.onWorker(word::takeBack);
        assertThatThrownBy(() -> pair.server.onWorker(word::takeBack)).hasMessageContaining("twice");
        assertRecorded("twice");
    }

    @Test
    void shouldRefuseToWriteAWordAfterFinish() {
        client.connection().finish();
        assertViolation(() -> client.writeWord(new RemoteAccess(1, 1), 1), "after finish()");
    }

    @Test
    void shouldFailAtItsEndWhenAWordIsNeverTakenBack() {
        LoopbackPair forgetful = new LoopbackPair(LoopbackOptions.oneSided());
        forgetful.client.connection().lendWord();
        assertThatThrownBy(forgetful::close).hasMessageContaining("never taken back");
    }

    @Test
    void shouldRecordAnAssertionThatFailsInAHandler() {
        pair.server.onArrival(() -> assertThat(1).isEqualTo(2));
        client.send("check");
        pair.awaitQuiet();
        assertRecorded("2");
        assertThat(pair.server.events()).endsWith("failed PROTOCOL", "closed");
    }

    @Test
    void shouldFailAtItsEndWhenRulesWereBroken() {
        LoopbackPair broken = new LoopbackPair(LoopbackOptions.socket());
        assertThatThrownBy(broken.client.connection()::close).isInstanceOf(AssertionError.class);
        assertThatThrownBy(broken::close).isInstanceOf(AssertionError.class).hasMessageContaining("1 violations");
    }
}
