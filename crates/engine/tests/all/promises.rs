//! Promises of SAFETY.md that hosts of the library rely on.

use model::{Outcome, TurnStatus};
use takeback::{Agreement, Selection, Trouble};

use crate::world::{World, order};

#[test]
fn a_plan_that_differs_from_the_preview_is_drift() {
    let world = World::new();
    let file = world.root.join("a.txt");
    std::fs::write(&file, "1\n2\n3\n").unwrap();
    let workspace = world.open();
    let session = workspace.begin_session("test", "one").unwrap();
    let turn = session.begin_turn("change it").unwrap();
    let step = turn.begin_step("shell", "edit").unwrap();
    std::fs::write(&file, "one\n2\n3\n").unwrap();
    step.end(false).unwrap();
    turn.end(TurnStatus::Completed).unwrap();

    let undo = order(session.id, Selection::UndoTurns { count: 1 });
    let shown = workspace.preview(&undo).unwrap();
    std::fs::write(&file, "ONE, by me\n2\n3\n").unwrap();
    let before = world.snapshot();
    let report = workspace.apply(&undo, Agreement::To(&shown), &mut |_, _| {}).unwrap();
    assert_eq!(report.outcome, Outcome::Refused);
    assert!(matches!(report.trouble, Some(Trouble::Drift { .. })), "{report:?}");
    assert_eq!(world.snapshot(), before);
}
