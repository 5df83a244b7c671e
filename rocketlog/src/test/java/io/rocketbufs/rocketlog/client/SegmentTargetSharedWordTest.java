package io.rocketbufs.rocketlog.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.Grant;
import io.rocketbufs.RemoteMemory;
import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import io.rocketbufs.rocketnet.Capabilities.Operation;
import io.rocketbufs.rocketnet.Right;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of how a producer uses leased memory with an order word that the producer changes itself. */
final class SegmentTargetSharedWordTest extends SegmentTargetMemoryTest {
    private final List<MappedFile> files = new ArrayList<>();

    @Override
    String settings() {
        return "rocketbufs.transport = shm";
    }

    @Override
    boolean isWordShared() {
        return true;
    }

    @AfterEach
    void closeFiles() {
        files.forEach(MappedFile::close);
    }

    private MappedFile words() throws IOException {
        MappedFile file = MappedFile.words("words", OrderWordLayout.LENGTH);
        files.add(file);
        return file;
    }

    @Override
    Region createWord() throws IOException {
        RunningLogBroker.assume("shm", folder);
        Region word = words().region();
        word.retain();
        return word;
    }

    /** Waits until memory that is granted later is accessible, which shows that the order word is accessible too. */
    @Override
    void onWordGranted() throws IOException {
        Region later = words().region();
        Grant grant = owner.grant(later, 0, later.length(), Set.of(Right.ATOMIC), GrantCallback.NONE);
        RemoteMemory remote = user.remoteMemory(grant.description(), (context, value) -> {});
        await().until(() -> remote.isNative(Operation.FETCH_ADD));
    }

    @Test
    void shouldReserveItsPlacesWhileTheOwnersWorkerIsBusy() throws IOException {
        share(200);
        Block block = new Block();
        block.awaitBegin();
        sendBatches(3);
        assertThat(OrderWordLayout.order(wordValue())).isEqualTo(ORDER + 3);
        assertThat(OrderWordLayout.position(wordValue())).isEqualTo(200 + 3 * BATCH);
        block.end();
        awaitWrites(new Write(ORDER, BATCH), new Write(ORDER + 1, BATCH), new Write(ORDER + 2, BATCH));
    }

    @Override
    @Test
    void shouldGiveBackTheBatchesThatDoNotFitAndReportTheFirstOfThem() throws IOException {
        share(LENGTH - BATCH - 50);
        sendBatches(2);
        assertThat(link.unwrittenCount)
                .as("the second is known to have no room")
                .hasValue(1);
        assertThat(send(3, true)).as("before the second").isEqualTo(SegmentTarget.Outcome.WAIT);
        assertThat(target.takeUnwritten()).isEqualTo(1);
        assertThat(target.takeUnwritten()).isZero();
        awaitWrites(new Write(ORDER, BATCH), new Write(ORDER + 1, 0));
        assertContent(LENGTH - BATCH - 50, 1);
        assertThat(send(2, true)).isEqualTo(SegmentTarget.Outcome.WAIT);
        assertThat(link.questions).as("asks when nothing is under way").hasSize(1);
        assertThat(send(2, false)).isEqualTo(SegmentTarget.Outcome.WAIT);
        assertThat(link.questions).hasSize(2);
    }
}
